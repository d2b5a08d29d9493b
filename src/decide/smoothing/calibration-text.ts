/**
 * What language models read so that it shows how large their channels get: kinds of text that they are asked about, written for this
 * library. Which channels are large is the model's own and hardly the text's.
 */
export const CALIBRATION_TEXT = `The ferry left the harbour at seven in the evening, an hour late, because a truck with tomatoes had broken down on the ramp. \
Nobody complained. The captain, who had crossed the strait 4,312 times, said that the wind would turn to the north-west after midnight; it did, and by \
morning the mountains of the island stood as clear as glass above the fog.

From: Nadia Okafor <nadia@example.com>
Subject: Invoice 20417, second reminder

Hello, I was charged twice for my order of 3 March (EUR 48.90 each time). I wrote to you last week and have had no answer. Please refund one of the two \
payments, or I will ask my bank to do it. The parcel itself arrived on time, and the lamp is lovely. Thanks, Nadia

Agent: How can I help you today?
Customer: my app keeps crashing since the update!!! i lost two hours of work
Agent: I'm sorry to hear that. Which phone do you use, and what does the message say?
Customer: its a pixel, "storage full" but theres 20 GB free??

Rule 7. A refund is granted if the goods are returned unused within 30 days. Personal data is deleted after 24 months, unless a law asks for longer. \
Is the request below within the policy? Answer yes or no.

{"id": 9183, "status": "delayed", "items": [{"sku": "B-77", "count": 2, "price": 19.5}], "tags": ["gift", "fragile"], "note": null}

def mean(values):
    """Returns the mean of a list that is not empty."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)

Water boils at 100 °C at sea level and at about 90 °C on a mountain of 3,000 m, as the air presses less there. A cell is the smallest part of a body that \
lives by itself; plants, animals and mushrooms consist of millions of them. In 1969 people walked on the Moon for the first time, 384,400 km away from home.

1. Cut the onions and fry them in butter until they are golden.
2. Add rice, stir, and pour in a glass of white wine.
3. Then add hot broth, ladle by ladle, for 18 minutes.

Der Zug nach Basel fährt heute von Gleis 12. La bibliothèque est fermée le lundi. ¿Dónde está la estación más cercana? 今天天气很好，我们去公园吧。 Поезд опаздывает на десять минут.

"I don't think so," said the old man, and closed the door. Was she angry, tired or simply bored? The review gave the film two stars out of five: great \
pictures, a weak story, and far too long. A red fox sits in the snow, soft light, a photograph with a shallow depth of field. BREAKING: shares of the \
company fell by 11.4% after its chief executive resigned; analysts had expected a profit of $1.2 billion.`

"""How the damage of a sentence is asked for, with levels from none to most; they turn round where a question asks how good it is."""
GOOD = ("natural", "fluent", "well", "correct", "quality", "readable")
SCALES = [["not at all", "a little", "badly"], ["perfect", "good", "fair", "poor", "broken"], ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"], ["none", "a little", "some", "much", "most"]]
DAMAGE = [(asked, levels) for asked, scales in {
    "How damaged is the {}?": [*SCALES, ["intact", "a little damaged", "badly damaged"]],
    "How much of the {} is out of place?": SCALES[2:],
    "Rate the word order of the {}.": [["in order", "mostly in order", "partly jumbled", "jumbled"], SCALES[1]],
    "How fluent is the {}?": [SCALES[1], ["fluent", "mostly fluent", "halting", "not fluent at all"], ["5", "4", "3", "2", "1"]],
    "Rate how natural the {} sounds.": [["perfectly natural", "quite natural", "a bit odd", "odd", "very odd", "not English"], ["6", "5", "4", "3", "2", "1"]],
    "How well is the {} written?": [["very well", "well", "not so well", "badly"], SCALES[1]],
    "What is the quality of the language of the {}?": [["excellent", "good", "acceptable", "poor", "very poor"], SCALES[1]],
    "Is the {} correct English?": [["yes", "nearly", "partly", "no"]],
}.items() for levels in scales]


def is_praise(asked):
    return any(word in asked for word in GOOD)

"""How the probes are asked: wordings and labels that no training row has; tables only. A choice is its options with their meanings, by what the label says."""

REVIEW = [
    ("noul", "Would the person who wrote this tell a friend to try it?", None),
    ("noul", "Did this turn out badly for the one who wrote it?", None),
    ("choice", "Which face would the writer draw under these lines?", {"frowning face": None, "smiling face": None}),
    ("choice", "What did it leave the writer with?", {"regret": "wishes they had stayed away", "delight": "glad they did it"}),
]
JUNK = [
    ("noul", "Should a mail program keep this away from its owner?", None),
    ("noul", "Did somebody who knows the reader type this for them alone?", None),
    ("choice", "Who is behind these lines?", {"acquaintance": "a person whom the reader knows", "stranger": "a firm or trickster after money or clicks"}),
    ("choice", "Where does it go?", {"inbox": "what people write to each other", "rubbish": "advertising, lures and prize draws sent to thousands"}),
]
NEWS = [
    ("Which desk of the paper takes this story?", {"foreign desk": "wars, governments and events around the world", "sports desk": "games, teams and athletes", "money desk": "firms, markets and the economy", "gadget desk": "science, computers and technology"}),
    ("Under which heading should an editor print it?", {"World": None, "Sports": None, "Business": None, "Science and technology": None}),
]
INTENT = ["Somebody tells this to an assistant. Which errand is it?", "Pick the job that has to be done for the person who wrote this.", "What is the speaker after?"]
ASKED = ["Having read it, would you say yes to this: {q}", "Going by these lines alone: {q}", "{q} Let the lines above decide."]
SAMENESS = [
    ("If you had to mark these two for sameness of content, what would the mark be?", ["worlds apart", "one field, other story", "a few points shared", "much the same, though something important differs", "the same but for trifles", "one and the same message"]),
    ("How much of what the one says does the other say again?", ["none of it", "hardly any of it", "some of it", "a good part of it", "almost all of it", "all of it"]),
]

"""What `score_questions.py` asks, and the levels it may answer with, from least to most: tables only."""

# by theme: ways to ask, and wordings of the levels
THEMES = {
    "pleasant": (["How pleasant is the feeling?", "How positive is the text?", "Rate the mood of the text.", "How good does the writer feel?", "Valence?", "How favourable is the tone?", "Where between bad and good is it?"],
                 [["very negative", "negative", "neutral", "positive", "very positive"], ["unpleasant", "neither", "pleasant"], ["bad", "good"], ["awful", "bad", "so-so", "good", "great"], ["very sad", "sad", "a little sad", "neither", "a little happy", "happy", "very happy"],
                  ["gloomy", "rather gloomy", "rather cheerful", "cheerful"], ["thumbs down", "undecided", "thumbs up"]]),
    "arousal": (["How excited is the text?", "How strong is the emotion?", "Rate the intensity of the feeling.", "How heated is it?", "How agitated does the writer sound?", "Level of excitement?"],
                [["calm", "excited"], ["calm", "moderate", "excited"], ["very calm", "calm", "moderate", "excited", "very excited"], ["none", "weak", "medium", "strong", "extreme"], ["sober", "rather sober", "rather emotional", "emotional"],
                 ["flat", "almost flat", "mild", "moderate", "lively", "intense", "overwhelming"]]),
    "control": (["How much in control does the person seem?", "How powerful does the speaker feel?", "Rate how confident the writer is.", "How dominant is the tone?"],
                [["helpless", "neither", "in control"], ["very submissive", "submissive", "balanced", "dominant", "very dominant"], ["powerless", "powerful"], ["not at all", "a little", "somewhat", "mostly", "fully"]]),
    "wording": (["How well is the question put?", "Is the question complete and grammatical?", "How well formed is it?", "Rate the grammar of the question.", "How natural is the question?", "Quality of the wording?"],
                [["ill-formed", "well-formed"], ["bad", "acceptable", "good"], ["broken", "faulty", "understandable", "nearly right", "right"], ["very unnatural", "unnatural", "a bit odd", "quite natural", "perfectly natural"],
                 ["not English", "very odd", "odd", "a bit odd", "natural", "very natural"], ["poor", "fair", "good", "excellent"]]),
    "reply": (["How good is the last message?", "How well does the last line fit?", "Rate the last reply.", "How sensible is the final turn?", "Does the last line answer what was said before?", "Quality of the last response?"],
              [["poor", "good"], ["does not fit", "fits more or less", "fits"], ["poor", "not good", "passable", "good", "excellent"], ["off the subject", "hardly related", "related", "fitting"], ["very bad", "bad", "fair", "good", "very good", "perfect"]]),
    "similar": (["How similar are the two in meaning?", "How close are the meanings?", "To what degree do both say the same?", "How alike are they?", "Semantic similarity?", "How much do the two have in common?", "Rate how near the two are to each other."],
                [["different", "the same"], ["different", "related", "the same"], ["unrelated", "slightly similar", "similar", "very similar"], ["nothing in common", "hardly alike", "somewhat alike", "much alike", "nearly the same", "the same"],
                 ["not at all", "a little", "partly", "mostly", "fully"], ["no relation", "same subject only", "some details shared", "roughly the same", "the same but for details", "the same"],
                 ["completely different", "very different", "different", "somewhat similar", "similar", "very similar", "identical in meaning"]]),
    "follows": (["How far does the second follow from the first?", "Given the first, how likely is the second?", "How well is the claim supported?", "How sure can one be of the statement?", "How strongly does the text support it?", "How plausible is the second in the light of the first?"],
                [["no", "yes"], ["ruled out", "possible", "certain"], ["contradicted", "left open", "supported"], ["impossible", "unlikely", "even", "likely", "certain"], ["definitely false", "probably false", "unknown", "probably true", "definitely true"],
                 ["refuted", "doubtful", "plausible", "proven"]]),
    "answers": (["How well does the text answer the question?", "How useful is the passage for the question?", "How relevant is it to what is asked?", "Does the second answer the first?", "Rate the answer.", "How helpful is the text to somebody who asks this?"],
                [["useless", "useful"], ["unrelated", "on the subject", "answers it"], ["irrelevant", "slightly relevant", "relevant", "highly relevant"], ["not at all", "hardly", "partly", "mostly", "fully"], ["off topic", "same topic", "partial answer", "full answer"]]),
    "urgent": (["How urgent is it?", "How soon must somebody act?", "Rate the urgency.", "How fast is an answer needed?", "How much of a hurry is the writer in?", "Priority of the message?"],
               [["can wait", "urgent"], ["low", "medium", "high"], ["not urgent", "slightly urgent", "urgent", "very urgent"], ["no hurry at all", "some time", "soon", "today", "at once"], ["none", "low", "moderate", "high", "severe"]]),
    "hard": (["How hard is the text to read?", "How difficult is the language?", "Reading difficulty?", "How complex is the wording?", "How much schooling does a reader need?"],
             [["easy", "hard"], ["simple", "moderate", "complex"], ["very easy", "easy", "medium", "hard", "very hard"], ["primary school", "middle school", "high school", "university"], ["trivial", "easy", "fairly easy", "medium", "fairly hard", "hard", "very hard"]]),
}
# which theme a labelled question belongs to, by its first and last level
KNOWN = {("very unpleasant", "very pleasant"): "pleasant", ("very negative", "very positive"): "pleasant", ("no arousal", "extreme arousal"): "arousal", ("very calm", "very excited"): "arousal",
         ("completely without control", "fully in control"): "control", ("very submissive", "very dominant"): "control", ("not a well-formed question", "a perfectly well-formed question"): "wording",
         ("0 of 5 raters accept it", "all 5 raters accept it"): "wording", ("Poor", "Excellent"): "reply"}
# what the gold label of an inference choice says, with its meaning beside it; what neither finds is left open
HOLDS, FAILS = r"entail|follows from|shows that the claim is true|definitely true|\bsupported\b|^yes\b|^true\b", r"contradict|otherwise|claim is false|definitely false|refuted|^no\b|^false\b"
OPEN = r"neutral|maybe|unknown|undetermined|may or may not|cannot be told|leaves it open|does not settle"
SCALED = [" On a scale from {low} to {high}.", " ({low} is least, {high} is most)", " {low} = lowest, {high} = highest.", ""]
PAIRS = [("Question", "Text"), ("Query", "Passage"), ("Request", "Reply"), ("Q", "A"), ("Search", "Result"), ("Question", "Answer")]

# two sentences, whether they mean nearly the same; and which of some is nearest to one
SAME = ["Do both mean the same?", "Both say nearly the same", "Is one a rewording of the other?", "The two are alike in meaning", "Could one stand for the other?", "Are they about the same thing?", "One repeats the other in other words", "Is the meaning shared?"]
OTHER = ["Do they mean different things?", "They are about different things", "Is the one unrelated to the other?", "The two differ in meaning", "One says something else than the other", "Is there little that both share?"]
NEAREST = ["Which of these is closest in meaning?", "What says nearly the same?", "Pick the most similar sentence.", "Which one is about the same thing?", "Find the rewording.", "Which option is nearest to the text?", "Nearest neighbour", "What could be said instead?", "Which one belongs with it?"]

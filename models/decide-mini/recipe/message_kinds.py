"""What `message_questions.py` asks of messages, and the words that tell: tables only."""

# what labels of the training data say of the tone of their text (-2 to 2); the first that is found in a label counts
TONES = [(-1, r"disapproval|unfavourable"), (2, r"admiration|respect or approval|gratitude|thankful|\blove\b|strong affection|\bjoy\b|happiness|excitement|enthusiasm|\bpride\b|glad or amused|happy or relieved"),
         (1, r"\bapproval|favourable opinion|optimism|hope for the future|caring|kindness|relief|comfort after|amusement|finding something funny"),
         (-2, r"\banger\b|\brage\b|strong displeasure|disgust|revulsion|grief|annoyed or furious|angry"),
         (-1, r"annoyance|irritation|disappoint|unmet hopes|sadness|sorrow|\bfear\b|afraid|scared|nervous|anxiety|remorse|regret|embarrass|unhappy"), (0, r"neutral|no particular emotion")]
# names for negative, neutral and positive, each with what it may be explained as
TONE_NAMES = [("negative", "neutral", "positive"), ("bad", "neither", "good"), ("unhappy", "indifferent", "happy"), ("complaint", "neutral remark", "praise"), ("critical", "factual", "favourable"), ("dislike", "no opinion", "like"),
              ("thumbs down", "undecided", "thumbs up"), ("displeased", "unmoved", "pleased"), ("pessimistic", "matter-of-fact", "optimistic"), ("unfriendly", "plain", "friendly")]
TONE_MEANINGS = [("an unfavourable view", "no clear view", "a favourable view"), ("the writer is dissatisfied", "neither satisfied nor dissatisfied", "the writer is satisfied"), ("bad feelings", "no feelings", "good feelings"),
                 ("something is disliked", "only facts", "something is liked"), ("unpleasant", "neither pleasant nor unpleasant", "pleasant")]
TONE_ASKED = ["What is the sentiment?", "What is the tone of the {}?", "How does the author feel?", "Sentiment of the {}", "Is the {} positive or negative?", "Classify the {} by sentiment.", "Which attitude is expressed?", "What does the writer think of it?", "How is the mood?"]
TONE_LEVELS = [["very negative", "negative", "neutral", "positive", "very positive"], ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"], ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"],
               ["very unhappy", "unhappy", "neither", "happy", "very happy"], ["terrible", "bad", "all right", "good", "excellent"], ["1", "2", "3", "4", "5"], ["hates it", "dislikes it", "does not care", "likes it", "loves it"]]
TONE_RATED = ["How positive is the {}?", "Rate the sentiment of the {}.", "How satisfied is the writer?", "How happy is the author?", "Rate the mood.", "How much does the author like it?", "How good is it, according to the {}?"]
POSITIVE = ["Is the {} positive?", "The {} is positive", "Does the author like it?", "Is the writer happy?", "The author is satisfied", "The tone is friendly", "Is this praise?", "The {} expresses good feelings", "Would the author recommend it?", "Is the writer pleased?"]
NEGATIVE = ["Is the {} negative?", "The {} is negative", "Does the author dislike it?", "Is the writer unhappy?", "The author is dissatisfied", "Is this a complaint?", "The {} expresses bad feelings", "Is the author disappointed?", "The writer is displeased", "Does the {} sound annoyed?"]
CALLED = ["text", "message", "comment", "review", "post", "remark", "feedback", "sentence", "reply"]

INSULT = r"\b(idiot|stupid|moron|dumb|loser|pathetic|scum|coward|clown|creep|worthless|shut up|ugly|trash|fuck\w*|shit\w*|asshole|bitch|bastard|jerk|racist|fool|hate you|disgusting|garbage)\b"
RUDE = ["Is the {} rude?", "The {} is insulting", "Is this toxic?", "Does the {} attack somebody?", "The {} is offensive", "Is the tone hostile?", "Would a moderator remove this {}?", "Is it disrespectful?", "The {} is abusive"]
CIVIL = ["Is the {} civil?", "The {} is polite", "Is this harmless?", "The {} is respectful", "Is the {} acceptable in a friendly forum?", "The tone is kind"]
RUDE_NAMES = [("remove", "keep"), ("toxic", "fine"), ("insult", "no insult"), ("hostile", "civil"), ("rude", "polite"), ("abusive", "acceptable")]
RUDE_MEANINGS = [("insults or swears at somebody", "civil"), ("rude or aggressive", "respectful"), ("against the rules of the forum", "within the rules"), ("attacks people", "attacks nobody")]

# what a review may be of, and how strong it may be put
REVIEWED = """the film, the food, the service, the hotel, the book, the room, the staff, this phone, the battery, the sound, the delivery, the plot, the acting, the music, this app, the update, the screen, the driver,
the teacher, the course, the restaurant, the product, the quality, my order, the support, the interface, the story, the ending, the trip, the weather, the atmosphere, the game, our stay, the location""".replace("\n", " ").split(", ")
VERY = ["", "", "", "very ", "really ", "so ", "quite ", "simply ", "absolutely "]
NEVER = ["not ", "not at all ", "never ", "hardly ", "anything but "]

# how urgent a message is, from none to most
HASTE = [
    """no rush; whenever you have time; it is not urgent at all; this can wait until next month; I am just curious; when you get around to it; there is no hurry with this; low priority; some day would be nice;
    it is only cosmetic; it would be nice to have; take your time; no need to answer soon; it does not matter much; maybe next quarter""",
    """some time this week would be fine; in the next few days please; by the end of the week; when you find time this week; in the coming days; before next Monday would be good; it should be done within a week;
    please look at it this week; a small nuisance, but it should be fixed""",
    """I need it today; please answer by this evening; I need it by tomorrow morning; we have a meeting about it this afternoon; it holds up my work; customers have begun to ask; the deadline is tonight;
    please hurry; it must be done today; I am waiting for it""",
    """we need help immediately; right now please; this is an emergency; everything is down; production is down; nobody can work; no customer can pay; we lose money every minute; answer as fast as you can;
    this is ASAP; the whole site is offline; all our data is gone; nothing works any more; we are locked out of every account; urgent!; there is smoke coming out of it; call me at once; this cannot wait a minute""",
]
HASTE_LEVELS = [["not urgent", "low", "high", "critical"], ["can wait for weeks", "this week", "today", "immediately"], ["no hurry", "some time soon", "urgent", "emergency"], ["1", "2", "3", "4"],
                ["not urgent: no date is given", "low: within some days", "high: today", "critical: at once"], ["P4", "P3", "P2", "P1"], ["low priority", "normal priority", "high priority", "top priority"]]
URGENT = ["Is this urgent?", "The {} is urgent", "Must somebody act today?", "Does it need attention now?", "The {} is time-critical", "Should it be answered first?"]
WAITS = ["Can this wait until next week?", "The {} can wait", "Is there plenty of time?", "Is it of low priority?", "There is no hurry", "Could it be answered in some days?"]

# what a message does; a sentence that more than one pattern finds is not asked about, unless a request is put as a question
ACTS = {
    "thanks": (r"\bthank|\bappreciate", "somebody is thanked"), "apology": (r"\bsorry\b|\bapologi[sz]e|\bmy apologies", "somebody says sorry"),
    "request": (r"\bplease\b|^(?:can|could|would|will) you\b|\bI need you to\b|^help me\b|^(?:send|show|give|tell|find|book|play|remind) me\b", "somebody is asked to do something"),
    "greeting": (r"^(?:hi|hello|hey|good (?:morning|evening|afternoon))\b.{0,24}$", "somebody is greeted"), "farewell": (r"\b(?:goodbye|bye|see you|have a (?:nice|good|great|wonderful) (?:day|one|evening|weekend))\b", "somebody takes leave"),
}
ACTS_ASKED = ["What does the {} do?", "What kind of {} is this?", "Purpose of the {}?", "Which act is it?", "Classify the {}."]
ASKS = ["Does the {} ask the reader to do something?", "The {} is a request", "Does the author want something done?", "Is somebody asked for help?"]
ASKS_NOT = ["Is the {} no request?", "Nothing is asked of the reader", "The author wants nothing done"]

# what kind of answer a question asks for: patterns in order, WordNet's categories of the noun after "which", and how each kind is named
QUESTIONS = [("abbreviation", r"\bstands? for\b|\babbreviation\b|\bacronym\b|\bfull form\b"), ("person", r"^(?:who|whom|whose)\b"), ("place", r"^where\b|^(?:what|which) (?:country|city|state|place|continent|town|island|river|county)\b"),
             ("date", r"^when\b|^(?:what|which) (?:year|day|date|month|time|century|season)\b|^how (?:long ago|soon)\b"), ("number", r"^how (?:many|much|old|far|tall|big|long|large|high|heavy|fast|deep|wide|often)\b|\bwhat (?:number|percentage|population|price|temperature)\b"),
             ("reason", r"^why\b|^what (?:causes?|caused)\b|^how come\b"), ("manner", r"^how (?:do|does|did|can|to|should|would|is|are|was)\b"), ("yes or no", r"^(?:is|are|was|were|do|does|did|can|could|has|have|will|should|would)\b")]
NOUN_KINDS = {18: "person", 15: "place", 28: "date", 23: "number", 5: "animal", 13: "food", 20: "plant", 8: "part of the body", 27: "substance", 6: "thing"}
DEFINED = r"^what (?:is|are|was|were) (?:an? |the meaning of |the definition of )"
ANSWERS = {
    "abbreviation": "what letters stand for", "person": "a human being or a group of people", "place": "a location", "date": "a point in time", "number": "an amount or a count", "reason": "why something is so", "manner": "how something is done",
    "yes or no": "whether something is so", "definition": "what something is", "animal": "a living creature", "food": "something to eat or drink", "plant": "something that grows", "part of the body": "a limb or an organ", "substance": "a material",
    "thing": "an object that people made",
}
ANSWERS_ASKED = ["What kind of answer does the question ask for?", "What is asked for?", "Type of the question?", "What would an answer be?", "Classify the question by its answer.", "Which kind of information is wanted?"]

# where a text is from, by the start of its file's name
GENRES = {"books": ("novel", "a story or an old book"), "wiki": ("encyclopedia", "an article on a subject"), "docs": ("manual", "documentation or a textbook"), "dialogue": ("conversation", "people talking with each other")}
GENRES_ASKED = ["Where is the text from?", "What kind of text is it?", "Genre?", "Which source is most likely?"]
HARD_LEVELS = [["very easy", "easy", "medium", "hard", "very hard"], ["simple", "moderate", "complex"], ["elementary school", "middle school", "high school", "university"], ["beginner", "intermediate", "advanced"], ["1", "2", "3", "4", "5"],
               ["child", "teenager", "adult", "expert"], ["A1", "A2", "B1", "B2", "C1", "C2"]]
HARD_ASKED = ["How hard is the text to read?", "Reading level?", "Rate how difficult the language is.", "Which readers is it for?", "How complex is the text?"]
LIKE_LEVELS = [["nothing in common", "hardly alike", "somewhat alike", "much alike", "nearly the same", "the same"], ["unrelated", "slightly similar", "similar", "very similar"], ["0", "1", "2", "3", "4", "5"], ["different", "related", "equivalent"],
               ["not at all", "a little", "partly", "mostly", "fully"]]
LIKE_ASKED = ["How similar are the two in meaning?", "Rate how close the meanings are.", "To what degree do both say the same?", "How alike are they?", "Similarity of meaning"]

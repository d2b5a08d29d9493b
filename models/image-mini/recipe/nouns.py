"""Articles and plurals of what can be drawn and of its synonyms."""
PLURALS = {"fish": "fish", "octopus": "octopuses", "cactus": "cacti", "mouse": "mice", "sheep": "sheep", "wolf": "wolves", "leaf": "leaves",
           "tomato": "tomatoes", "potato": "potatoes", "calf": "calves", "goose": "geese", "fungus": "fungi", "goldfish": "goldfish",
           "knife": "knives", "scarf": "scarves", "ox": "oxen", "tooth": "teeth", "bison": "bison", "deer": "deer", "mango": "mangoes",
           "flamingo": "flamingos", "volcano": "volcanoes", "mosquito": "mosquitoes", "moose": "moose", "elk": "elk", "crayfish": "crayfish", "tornado": "tornadoes"}
# Said without an article, and the same for several.
PLAIN = ("grapes", "scissors", "glasses", "bread", "corn", "coffee", "cheese", "fire", "spectacles", "eyeglasses", "maize", "tea", "sunshine",
         "bacon", "beans", "butter", "broccoli", "fries", "garlic", "honey", "milk", "popcorn", "rice", "salt", "soup", "spaghetti", "sushi",
         "bowling", "dice", "tennis", "yarn", "gloves", "headphones", "jeans", "shorts", "socks", "sunglasses", "soap", "coral", "chocolate",
         "beer", "wine", "binoculars", "lightning", "salad", "trousers", "pants", "shades", "lettuce", "ale")


def article(words):
    if words.split()[-1] in PLAIN:
        return words
    return ("an " if words[0] in "aeiou" and not words.startswith(("ufo", "unicorn")) else "a ") + words


def plural(name):
    *start, last = name.split()
    if last in PLAIN:
        return name
    ending = "es" if last.endswith(("ch", "sh", "s", "x")) else "s"
    many = PLURALS.get(last) or (last[:-1] + "ies" if last.endswith("y") and last[-2] not in "aeiou" else last + ending)
    return " ".join([*start, many])


def forms(name, synonyms):
    """All that an object is called, one and several of it."""
    return sorted({form for word in (name, *synonyms) for form in (word, plural(word))})

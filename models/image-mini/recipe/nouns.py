"""Articles and plurals of what can be drawn and of its synonyms."""
PLURALS = {"fish": "fish", "fox": "foxes", "bus": "buses", "octopus": "octopuses", "strawberry": "strawberries", "cactus": "cacti",
           "butterfly": "butterflies", "mouse": "mice", "sheep": "sheep", "wolf": "wolves", "leaf": "leaves",
           "peach": "peaches", "dress": "dresses", "tomato": "tomatoes", "puppy": "puppies", "kitty": "kitties", "bunny": "bunnies",
           "pony": "ponies", "calf": "calves", "goose": "geese", "fungus": "fungi", "goldfish": "goldfish", "husky": "huskies",
           "lorry": "lorries", "ferry": "ferries", "coach": "coaches", "fortress": "fortresses", "trophy": "trophies", "cherry": "cherries"}
# Said without an article, and the same for several.
PLAIN = ("grapes", "scissors", "glasses", "bread", "corn", "coffee", "cheese", "fire", "spectacles", "eyeglasses", "maize", "tea", "sunshine")


def article(words):
    if words.split()[-1] in PLAIN:
        return words
    return ("an " if words[0] in "aeiou" else "a ") + words


def plural(name):
    return name if name in PLAIN else PLURALS.get(name, name + "s")

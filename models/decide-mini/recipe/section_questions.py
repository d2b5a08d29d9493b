"""Makes questions on which section of a paper a text belongs in: pieces of articles whose first sentence says what kind of thing they are about."""
import random
import re

from asking import Asking, write_rows
from plain_texts import Texts, text_arguments

# names of a section | what it has | kinds of things that its articles are about
SECTIONS = [line.split(" | ") for line in """
sports; sport; games and matches; athletics | teams, players and tournaments; who won and who lost; competitions and records of athletes | footballer player club team tournament championship cup season race driver cricketer swimmer boxer wrestler coach stadium league match cyclist goalkeeper midfielder defender forward pitcher quarterback athlete sprinter golfer skier Olympian sport game golf regatta marathon derby
business; economy; money; companies and markets | firms, trade and the economy; what companies sell, earn and owe; banks, shops and industry | company bank retailer manufacturer corporation businessman entrepreneur brewery airline firm subsidiary conglomerate brand supermarket investor financier economist industrialist merchant currency tax insurer supplier chain distributor business enterprise cooperative
politics; world; government; world affairs | governments, wars and relations between states; elections, parties and laws; what happens between nations | politician party treaty war battle president minister election senator diplomat ambassador congressman governor government parliament republic alliance rebellion revolution conflict coup constitution referendum mayor lawmaker ministry summit campaign invasion siege massacre militia army regiment general admiral
technology; computers; tech; software and devices | computers, programs and gadgets; the internet and electronics; machines and how they work | software processor computer smartphone protocol language framework console algorithm chip network website application browser camera robot engine programmer device vehicle aircraft locomotive missile rocket tool machine standard database laptop tablet gun rifle tank motorcycle car
science; research; nature and science; discoveries | research on nature, matter and space; what scientists find; animals, plants and stars | physicist chemist biologist mathematician astronomer scientist molecule enzyme particle star galaxy planet asteroid comet species genus mineral element compound theorem theory protein gene equation function moon crater bird fish beetle moth plant orchid spider dinosaur mammal lizard frog butterfly tree shrub fossil acid
culture; arts; entertainment; film and music | films, music and books; actors, singers and writers; what is on stage and screen | film album song band singer actor actress novel novelist poet painter sculptor director composer musician rapper comedian sitcom series episode musical opera play magazine guitarist drummer pianist writer author book show dancer ballet single soundtrack screenwriter comic cartoonist museum
health; medicine; wellbeing | illness, doctors and treatment; the body and what harms it; drugs and hospitals | disease disorder drug medication hospital physician surgeon syndrome infection cancer virus vaccine symptom antibiotic nurse psychiatrist therapy surgery condition muscle artery tumor toxin
travel; places; geography; towns and landscapes | towns, rivers and regions; places and how to get there; maps and landscapes | village town city river mountain lake island municipality county district suburb region province airport station road highway park valley bay peninsula commune township railway bridge street
religion; faith; belief | churches, saints and belief; what people worship; rites and scriptures | bishop saint pope church monk theologian priest archbishop temple mosque cathedral monastery deity goddess rabbi missionary abbey diocese god sect
education; schools; learning | schools, students and teaching; universities and degrees | school university college academy institute teacher educator student degree faculty scholarship library professor
food; cooking; kitchen | dishes, drinks and recipes; what people eat and how it is made | dish cheese sauce soup dessert bread cake wine beer cocktail fruit vegetable cuisine pastry chef sausage drink spice stew
crime; courts; justice | crimes, trials and prisons; police and judges | murderer criminal gangster lawyer judge prison trial case crime robber killer attorney court jurist terrorist pirate policeman detective
""".strip().splitlines()]
# what is told apart in one paper and is one section in the next, and what firms of such kinds are about
MERGED = (["science and technology", "sci-tech", "science & tech", "technology and research"], ["science, computers and inventions", "research and new technology", "what engineers and scientists come up with"])
TECHNICAL = re.compile(r"software|internet|computer|technology|semiconductor|electronics|video game|web|online|telecom|mobile")
ASKED = ["Which section should print this?", "Where in the newspaper does it belong?", "Under which rubric does the story go?", "What is the story about?", "Topic of the article", "Sort the text into a section.", "News category?", "Which page is it for?", "Choose the channel.", "What kind of news is it?", "Which reporter should cover this?", "Classify the article."]
IS_FOR = ["Is it for the {n} section?", "The article is about {d}", "Is this {n} news?", "It belongs on the {n} page", "Does the text deal with {d}?"]


BUSINESS, TECHNOLOGY, SCIENCE = (next(at for at, one in enumerate(SECTIONS) if one[0].startswith(name)) for name in ("business", "technology", "science"))


class Maker(Asking):
    def __init__(self, texts, random_):
        super().__init__(random_)
        of = {word: at for at, (_, _, words) in enumerate(SECTIONS) for word in words.split()}
        self.articles = [[] for _ in SECTIONS]
        for group in texts:
            for document, title, kind in zip(group.documents, group.titles, group.kinds):
                at = of.get(kind.split()[-1]) if kind else None
                if at == BUSINESS and TECHNICAL.search(kind):
                    at = TECHNOLOGY
                if at is not None:
                    self.articles[at].append((title, document))

    def described(self, at, merged):
        """The names of a section and what it has."""
        return MERGED if merged and at in (TECHNOLOGY, SCIENCE) else [part.split("; ") for part in SECTIONS[at][:2]]

    def section(self):
        """A piece of an article, with or without what it is called and what its first sentence says."""
        r = self.random
        at = r.choice([at for at, found in enumerate(self.articles) if found])
        title, document = r.choice(self.articles[at])
        first = r.choice([0, 0, 0, 0, 1, 2]) if len(document) > 5 else 0
        text = " ".join(document[first : first + r.choice([1, 2, 2, 3])])
        if title and r.random() < 0.6:
            text = r.choice(["{}\n{}", "{}: {}", "{} - {}", "{}. {}"]).format(title, text)
        merged = r.random() < 0.5
        others = [other for other in range(len(SECTIONS)) if other != at and not (merged and {at, other} == {TECHNOLOGY, SCIENCE})]
        others = r.sample(others, r.choice([1, 2, 3, 3, 3, 4, 5]))
        if merged and {TECHNOLOGY, SCIENCE} <= set(others):
            others.remove(SCIENCE)
        style = r.choice(["names", "names", "described", "described", "opaque"])
        named = []
        for number, other in enumerate([at, *others]):
            names, does = self.described(other, merged)
            name = f"{r.choice(['s', 'page ', 'p'])}{r.randrange(10) * 7 + number}" if style == "opaque" else r.choice([str, str, str.capitalize, str.upper])(r.choice(names))
            named.append((name, None if style == "names" else r.choice(does)))
        options = named[::]
        r.shuffle(options)
        asked = [{"type": "choice", "instructions": r.choice(ASKED), "criteria": dict(options), "gold": named[0][0]}] if len(dict(options)) == len(options) else []
        about = at if r.random() < 0.5 else others[0]
        names, does = self.described(about, merged)
        asked.append(self.noul([form.format(n=r.choice(names), d=r.choice(does)) for form in IS_FOR], about == at))
        return text, asked[: r.choice([1, 1, 2])]


def main():
    args = text_arguments(24000, 100_000_000).parse_args()
    random_ = random.Random(13)
    maker = Maker([Texts(path, args.limit) for path in sorted(args.data.glob("pretrain-wiki-*.txt.xz"))], random_)
    print({names.split(";")[0]: len(found) for (names, *_), found in zip(SECTIONS, maker.articles)})
    write_rows(args.out, [maker.row_of("sections", maker.section) for _ in range(args.rows)])


if __name__ == "__main__":
    main()

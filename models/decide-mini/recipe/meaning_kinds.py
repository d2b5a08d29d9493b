"""What people say and what they mean by it: replies that say yes or no in other words, why people do things, what is done to rules. Written for this recipe."""

# a question | what a yes says | replies that mean yes | replies that mean no
REPLIES = """
Are you tired? | I am tired; I need some sleep | I could sleep for a week; My eyes keep closing; It was a very long day; I was up all night | I slept like a log; I feel fresh as a daisy; I just had two coffees; I could run a marathon
Are you hungry? | I am hungry; I would like something to eat | I could eat a horse; My stomach is growling; I skipped breakfast; When is lunch? | I just had dinner; I am stuffed; I couldn't manage another bite; Not after that big breakfast
Have you eaten? | I had a meal; I have had my lunch | I had a sandwich at noon; We grabbed a pizza on the way; Lunch was at one | Not since yesterday; The fridge is empty; I am still waiting for my order
Do you have children? | I am a parent; There are kids in my family | Two boys and a girl; My daughter just turned four; They keep me busy all day | It is just me and my husband; We never wanted any; Maybe one day
Are you married? | I have a husband or a wife; I am somebody's spouse | Ten years next month; My wife would hope so; We tied the knot last summer | I am still looking for the right one; I live on my own; We broke up last year
Do you live alone? | I live alone; I have the place to myself | It is just me and my cat; Nobody else is there | I share the flat with two friends; With my parents; My family would miss me
Do you have any pets? | There are animals in my home; I look after a pet | My tomcat sleeps on my bed; A dog and a parrot; I walk my poodle every morning; My goldfish needs feeding | I am allergic to fur; My landlord forbids it; Plants are enough work for me
Do you have a job? | I have a job; I am employed | I teach at a primary school; I work nights at the hospital; My boss would say so | I got fired in May; I am still sending out applications; I retired last year; I am still at university
Do you like your job? | I like my job; I enjoy what I do | I can't wait for Mondays; I would do it for free; It never gets boring | I am looking for something else; I count the hours; My boss drives me crazy
Are you busy tonight? | I have no time tonight; I have plans for this evening | I promised to help my sister move; I have a class until ten; I have tickets for the opera | Just me and the sofa; I am all yours; Nothing in my calendar
Do you want to go out for dinner? | I want to go out for dinner; I would like to eat in a restaurant | Let me get my coat; I know a great place; I am starving | I already have a stew on the stove; I am saving money; I am too tired to get dressed
Can you cook? | I can cook; I know how to make food | My lasagna is famous; I used to be a chef; I make everything from scratch | I burn even water; I live on takeaway; My microwave does all the work
Do you like music? | I like music; I enjoy listening to songs | I go to a concert every month; My headphones never leave my ears; I sing in a choir | I prefer silence; It only gives me a headache
Do you play an instrument? | I play an instrument; I am a musician | The piano, since I was six; I am in a band; My guitar is in the car | I have no ear for it; I only listen
Do you play sports? | I play sports; I do some kind of sport | Tennis on Sundays; I am on the soccer team; I swim before work | I am a couch potato; Watching it on TV is enough; My knees are bad
Do you exercise? | I exercise; I train my body | I go to the gym three times a week; I ride my bike to work; I run five miles each morning | The stairs are hard enough; I have not moved in months; I am too lazy
Do you like to read? | I like to read; I enjoy books | I always have a novel with me; My shelves are full; I finished two this week | I fall asleep after a page; I wait for the movie; I find it dull
Do you like to travel? | I like to travel; I enjoy seeing other countries | I have been to thirty countries; My suitcase is always packed; I leave for Peru on Friday | I get homesick; I hate airports; There is no place like home
Have you been to Paris? | I have been to Paris; I know Paris | I lived there for a year; The view from the tower is lovely; On our honeymoon | It is still on my list; I have never left the country; I got only as far as Lyon
Can you drive? | I can drive; I am able to handle a car | I have had a license since I was eighteen; I take the kids to school each day; I used to be a cab driver | I failed the test twice; I take the bus everywhere; I never learned
Do you have a car? | I have a car; I own a vehicle | It is parked outside; A little red Fiat; I need to fill up the tank | I ride my bike; I sold it last year; I use the train
Do you smoke? | I smoke; I use cigarettes | About a pack a day; I am just going out for one; I wish I could stop | I quit years ago; It is bad for you; I can't stand the smell
Do you drink alcohol? | I drink alcohol; I drink beer or wine | A glass of red with dinner; I would not say no to a cold beer; Only the good whisky | I am the driver tonight; I have been sober for two years; Water is fine for me
Do you eat meat? | I eat meat; Meat is fine for me | I love a good steak; Chicken is my favorite; I would never give up bacon | Tofu will do; I only eat plants; I feel sorry for the animals
Do you like spicy food? | I like spicy food; I enjoy hot dishes | The hotter the better; I put chili on everything; Give me a good curry | My mouth burns easily; I prefer it mild; My stomach can't take it
Do you have a sweet tooth? | I like sweet things; I enjoy sugar | I can't pass a bakery; Chocolate is my weakness; I always leave room for dessert | I prefer salty snacks; I avoid sugar; I never touch cake
Is it expensive? | It is expensive; It costs a lot | It costs an arm and a leg; I had to take a loan; You could buy a house for that | It was a bargain; You get it for pennies; They almost give it away
Can you afford it? | I can afford it; I have enough money for it | I just got a raise; I have saved up for it; Money is no problem | I am broke; Rent is due tomorrow; Not with my salary
Do you have savings? | I have savings; I put money aside | I put a third of my pay in the bank; There is enough for a rainy day; I could live on it for a year | I live from one paycheck to the next; I owe more than I own; My account is empty
Did you sleep well? | I slept well; I had a good night | Nine hours in a row; I did not wake up once; The bed was like a cloud | The neighbors had a party; I tossed and turned; The dog barked all night
Are you feeling well? | I feel well; I am in good health | Never better; The doctor says I am fine; I am full of energy | My head is killing me; I have a fever; I have been coughing since Monday
Are you happy? | I feel good; I am in a bright mood | I am over the moon; I can't stop smiling; Life is good | I could cry; It has been a hard year; I feel low
Are you nervous? | I am nervous; I am worried about it | My hands are shaking; I have butterflies in my stomach; I could not eat a thing | I am calm as can be; I have done this a hundred times; Piece of cake
Are you angry with me? | I am angry with you; I am cross about what you did | I don't want to talk to you; You have let me down; I am boiling | Let's forget it; I could never be; It was my own fault
Did you enjoy the movie? | I enjoyed the movie; I liked the film | I was glued to the screen; I want to see it again; I laughed until I cried | I walked out after an hour; I nearly fell asleep; Two hours of my life I won't get back
Was the test hard? | The test was hard; It was a difficult exam | I did not understand half of it; I ran out of time; Only two people passed | I was done in ten minutes; A child could do it; It was a walk in the park
Did you pass? | I passed; I was successful | I got an A; They gave me the certificate; My parents are so proud | I have to take it again; I was two points short; I would rather not talk about it
Do you understand? | I understand; It is clear to me | Crystal clear; I see what you mean; Got it | It is all Greek to me; You lost me; Could you say that again?
Do you agree? | I agree; I am of the same opinion | You took the words out of my mouth; I could not have said it better; I am with you on that | I see it the other way round; I beg to differ; That is nonsense
Do you trust him? | I trust him; I believe what he says | With my life; He has never let me down; He always keeps his word | I would not lend him a cent; He has lied before; I keep an eye on him
Do you know her? | I know her; We have met | We went to school together; She is my neighbor; We have been friends for years | I have never seen her before; The name means nothing to me; Who is that?
Are you new here? | I am new here; I have not been here long | I moved in yesterday; It is my first day; I am still finding my way | I was born in this street; I have worked here for twenty years; I know every corner
Did you have trouble finding it? | I had trouble finding it; It was hard to get here | I took three wrong turns; I drove past it three times; Your map is wrong | Your directions were perfect; It was easy with the map; I know the way
Are you late? | I am late; I will not be on time | The bus broke down; I am stuck in traffic; Start without me | I am already here; I have ten minutes left; I left early
Is it far? | It is far; It is a long way | It takes three hours by car; You would need a plane; Bring something to read on the way | It is just around the corner; You can see it from here; Two minutes on foot
Is the weather nice? | The weather is nice; It is a fine day | There is not a cloud in the sky; I am wearing shorts; We are sitting in the garden | It has been pouring all day; Bring an umbrella; The storm blew the roof off
Is it cold outside? | It is cold outside; It is chilly out there | The lake is frozen; Put on your gloves; I can see my breath | You won't need a jacket; The sun is burning; I went out in a T-shirt
Do you like winter? | I like winter; I enjoy the cold season | I can't wait for the snow; Skiing is my passion | I hate the cold; I wish it was always July; I get depressed when it is dark
Will you come to the party? | I will come to the party; I will be there | I already bought a present; What should I wear?; I would not miss it | I have to work that night; I am out of town; Parties are not my thing
Can you help me? | I can help you; I am able to lend a hand | What do you need?; Just tell me when; I will be right there | I have my hands full; Ask someone else; I would not know how
Do you need help? | I need help; I can't do it alone | I can't lift this; I have no idea what to do; Where do I start? | I am managing fine; I have got it under control; I would rather do it myself
Are you ready? | I am ready; We can begin | My bags are packed; Let's go; I have been waiting for you | Give me ten minutes; I am still in the shower; I have not even started
Have you finished? | I have finished; The work is done | I handed it in this morning; Every page is written; There is nothing left to do | I am half way through; I need another week; I have not started
Did you like the gift? | I liked the gift; The present was right for me | I wear it every day; How did you know?; It is just what I wanted | I took it back to the shop; It is not my color; I gave it to my sister
Do you speak French? | I speak French; I know the language | I grew up in Lyon; I studied it for six years; Bien sûr | I only know how to say hello; Languages were never my strength; I would need a translator
Do you have brothers or sisters? | I have brothers or sisters; I am not an only child | I am the youngest of five; My twin lives in Rome; An older brother | My parents only had me; I always wished for one
Have you read the book? | I have read the book; I know the book | I finished it last night; Twice; The ending surprised me | I only saw the movie; It is still on my shelf; I gave up after ten pages
Do you watch television? | I watch television; I look at TV | I never miss the news; I have seen every episode; The screen is on all evening | I don't even own one; I would rather read; I have no time for that
Do you want a drink? | I want a drink; I would like something to drink | I am so thirsty; A glass of water, please; What do you have? | I just had one; I am fine for now
Are you allergic to anything? | I have an allergy; There is something I can't have | Peanuts make me swell up; I can't have milk; Keep the shellfish away from me | I can eat anything; I never had a problem
Is the place safe? | The place is safe; It is without danger | People leave their doors open; Children play in the street; Nothing ever happens here | There was a robbery last week; Never walk there at night; The stairs are rotten
Do you like the city? | I like the city; I enjoy urban life | I love the buzz; There is always something to do; I would never move to a village | It is too loud for me; I miss the fields; The crowds are too much
Did the repair work? | The repair worked; It is fixed; The problem is solved | It runs like new; Everything is back to normal; No errors since then; You saved my day | It is still broken; Same error as before; It crashed again this morning; Nothing has changed
Has the parcel arrived? | The parcel has arrived; I received the package | It was on my doorstep this morning; I am opening it right now; The courier just left | I am still waiting for it; It says in transit; It must be lost; The tracking has not moved for days
Did the payment go through? | The payment went through; The money was paid | I see it on my statement; The receipt is in my inbox; They confirmed the transfer | The card was declined; The bank blocked it; I get an error at checkout
Do you want to cancel? | I want to cancel; I want to end the contract | Please close my account; I don't need it any more; Take me off the list; I am switching to another provider | I would like to keep it; Renew it for a year; I am happy with the service
Do you want a refund? | I want a refund; I want my money back | Please send the money back to my card; I should not have to pay for this; Return my deposit | Just send a new one; I don't care about the money; A replacement will do
Are you satisfied with our service? | I am satisfied with the service; The service was good | You were quick and friendly; Five stars from me; I will recommend you | I had to call four times; Nobody ever answered; I will never order here again
Can we meet on Monday? | We can meet on Monday; Monday suits me | Ten o'clock would be perfect; I will put it in my calendar; My Monday is free | I am away until Wednesday; Could we make it Thursday?; I am booked all day
Do you accept the offer? | I accept the offer; I take the deal | Where do I sign?; You have a deal; That is more than I hoped for | I have had better ones; It is too low; I will have to pass
Is the price okay? | The price is okay; The price is acceptable | That fits our budget; I was ready to pay more; Fair enough | That is too much for us; Your competitor is cheaper; Could you go lower?
Are you still interested? | I am still interested; I still want it | When can I pick it up?; Please keep it for me; I have thought of nothing else | I found another one; I changed my mind; You can sell it to someone else
Is it still available? | It is still available; You can still get it | You can come and see it today; There are three left; Nobody has taken it yet | Somebody picked it up an hour ago; We are sold out; It is reserved
Did you read the manual? | I read the manual; I looked at the instructions | I followed every step; From cover to cover; Page twelve says the same | I threw it away with the box; I just pressed the buttons; There was none in the box
Is the device on? | The device is on; It is running | The green light is lit; I can hear the fan; The screen shows the logo | The screen stays black; It is not plugged in; The battery is dead
Can you log in? | I can log in; I have access | I am in my account now; The new password works; I see my dashboard | It says wrong password; My account is locked; I never get the code
Do you have the receipt? | I have the receipt; I can prove that I paid | I will send you a photo of it; It is here in my wallet; It is attached | I threw it away; The cashier never gave me one; I can't find it anywhere
Was the flight on time? | The flight was on time; There was no delay | We even landed early; I caught my connection easily | We sat on the runway for three hours; They cancelled it; I missed my connection
Was the room clean? | The room was clean; It was tidy | You could eat off the floor; Everything was spotless; It smelled fresh | There was hair in the shower; The sheets had stains; Dust everywhere
Is the report done? | The report is done; The report is complete | It is in your inbox; I sent it last night; It is ready to sign | I am still waiting for the numbers; I need two more days; Not even a draft
Did they sign the contract? | They signed the contract; The contract is signed | We have both signatures; The deal is closed; It is official now | They asked for more changes; It is still with their lawyers; They backed out
Did you get my message? | I got your message; I saw what you sent | I was just about to answer; I read it on the train; Thanks for letting me know | My phone was off; What message?; Nothing came through
Should we hire her? | We should hire her; She is right for the job | She is the best we have seen; I would start her tomorrow; Her references are excellent | She has no experience; She was rude in the interview; Let's keep looking
Would you buy it again? | I would buy it again; It was worth the money | Best thing I ever bought; I ordered a second one; I use it every day | It broke after a week; I sent it back; Total waste of money
Do you like him? | I like him; He is nice | He is great fun to be with; We get on so well; He has a heart of gold | He gets on my nerves; I avoid him; He is so full of himself
Is she at home? | She is at home; She is in | The lights are on; She is in the kitchen; Her car is in the drive | She left an hour ago; Nobody answered the door; She is on holiday
Is he rich? | He is rich; He has a lot of money | He owns three yachts; He never looks at prices; He bought the whole street | He can hardly pay the rent; He borrows from everyone; He sleeps in his car
Is she old? | She is old; She has lived for a long time | She just turned ninety; She has great-grandchildren; Her hair is all white | She is still in school; She is barely twenty
Is it heavy? | It is heavy; It weighs a lot | It took four men to carry it; My back hurts from lifting it; The shelf broke under it | You can lift it with a finger; Light as a feather; A child could carry it
Is he strong? | He is strong; He has power | He can lift a car; He opened the jar that nobody could | He gets out of breath on the stairs; He can hardly hold a cup
Is she good at math? | She is good at math; She can calculate well | She won the competition; She does it all in her head; She is a professor of it | She needs a calculator for two plus two; She failed the class; Numbers scare her
Is the food good? | The food is good; It tastes nice | I had three helpings; I licked the plate; Can I have the recipe? | I fed it to the dog; It tastes like cardboard; I left most of it
Are you sure? | I am sure; I have no doubt | I saw it with my own eyes; I would bet my house on it; I checked it twice | I might be wrong; I only heard about it; I would have to check
Do you remember it? | I remember it; It is still in my mind | As if it was yesterday; I will never forget that day | It was too long ago; My memory is terrible; I was too young
Would you like to live here? | I would like to live here; I want to move here | I am already looking for a flat; It is my dream | I would miss my friends; The rents are crazy; A visit is enough
Do you believe in ghosts? | I believe in ghosts; Ghosts are real to me | I have seen one; There is one in our attic | That is for children; Show me proof first
Do you use the internet a lot? | I use the internet a lot; I am online often | I am on my phone all day; I could not work without it | I don't have a computer; I only check mail on Sundays
Is your phone new? | My phone is new; I got my phone recently | I bought it last week; It is the latest model | I have had it for six years; The screen is cracked and it is slow
Do you work from home? | My home is my office; I do not go to an office | My desk is next to my bed; I take calls in slippers | I commute for an hour; My office is downtown
Are you from here? | I am from here; I grew up in this place | My family has always lived here; I was born two streets away | I come from Canada; I am just visiting; I moved here for work
"""
# replies to nearly any question of a person
SURE = "Of course; Absolutely; Sure; You bet; Definitely; More than anything; All the time; Every day; As often as I can; Since I was a child; I certainly do; No doubt about it; I'd say so; Yes, very much so; That's right; For sure; Who doesn't?; Without question".split("; ")
NEVER = "Not really; Never; Hardly ever; Not any more; I'd rather not; I doubt it; Far from it; Not at all; I wish; If only; Not that I know of; By no means; No way; Maybe some other time; I'm afraid not; Not in the least; Only in my dreams; Rarely".split("; ")

SAME = ["Do both mean the same?", "The two mean the same", "{other} has the same meaning as {one}", "Does {one} say what {other} says?", "{one} and {other} agree", "Are {one} and {other} equivalent?", "{other} is meant by {one}", "Does {other} follow from {one}?", "If {one} is true, {other} is true", "{one} supports {other}"]
FOLLOWS = ["Does {other} follow from {one}?", "If {one} is true, {other} is true", "{one} supports {other}", "{one} and {other} agree", "Does {other} fit {one}?"]
DIFFER = ["Do the two contradict each other?", "They say opposite things", "{one} is against {other}", "Does {one} rule out {other}?", "If {one} is true, {other} is false", "The two disagree", "{other} is wrong if {one} is right"]
MEANT_YES = ["Does the answer mean yes?", "The reply is a yes", "Is the question answered with yes?", "The answer agrees", "Does the person confirm it?"]
MEANT_NO = ["Does the answer mean no?", "The reply is a no", "Is the question answered with no?", "The answer denies it", "Does the person say that it is not so?"]

# why somebody does something | what they do, as it is told | and as it is asked
REASONS = """
{n} was very hungry | {n} made a big sandwich | make a big sandwich
{n} had lost the keys | {n} climbed through the window | climb through the window
It was raining hard | {n} took an umbrella | take an umbrella
{n} wanted to surprise a friend | {n} baked a cake | bake a cake
{n} had a bad toothache | {n} went to the dentist | go to the dentist
{n}'s car would not start | {n} took the bus | take the bus
{n} had failed the last exam | {n} studied all night | study all night
The old phone was broken | {n} bought a new one | buy a new one
{n} was saving for a trip | {n} cooked at home every day | cook at home every day
A storm was coming | {n} closed all the windows | close all the windows
{n} heard a strange noise | {n} got out of bed | get out of bed
{n} was late for work | {n} ran to the station | run to the station
{n} missed the family | {n} called home | call home
The milk had gone bad | {n} threw it away | throw it away
{n} wanted to lose weight | {n} joined a gym | join a gym
{n} was afraid of dogs | {n} crossed the street | cross the street
The neighbors were too loud | {n} called the police | call the police
{n} felt lonely | {n} adopted a cat | adopt a cat
{n} had won the race | {n} jumped for joy | jump for joy
The shirt was too small | {n} returned it to the shop | return it to the shop
{n} needed money for college | {n} found a job in a cafe | find a job in a cafe
{n} had hurt a leg | {n} stayed at home all week | stay at home all week
The lights went out | {n} lit some candles | light some candles
{n} was bored | {n} turned on the radio | turn on the radio
{n}'s best friend was in hospital | {n} bought flowers | buy flowers
The river had flooded the road | {n} took the long way home | take the long way home
{n} did not understand the lesson | {n} asked the teacher | ask the teacher
A wasp had come into the room | {n} opened the door | open the door
{n} had promised to help | {n} got up at five | get up at five
The soup was too hot | {n} waited some minutes | wait some minutes
{n} wanted to learn French | {n} moved to Paris | move to Paris
{n} had spilled coffee on the dress | {n} changed clothes | change clothes
{n} did not trust the seller | {n} kept the money | keep the money
The last train had left | {n} slept at a hotel | sleep at a hotel
{n} loved the stars | {n} bought a telescope | buy a telescope
{n} was allergic to nuts | {n} did not eat the cookies | not eat the cookies
The boss had shouted at everyone | {n} quit the job | quit the job
{n}'s hands were freezing | {n} put on gloves | put on gloves
The garden was full of weeds | {n} worked outside all day | work outside all day
{n} had read great reviews | {n} tried the new restaurant | try the new restaurant
{n} could not sleep | {n} drank warm milk | drink warm milk
The baby was crying | {n} sang a song | sing a song
{n} wanted a better view | {n} walked up the hill | walk up the hill
{n} had no cash left | {n} went to the bank | go to the bank
"""
WHY = ["Can the why-question be answered?", "The text says why", "Is the reason given?", "There is enough in the text to answer the question", "Does the text answer the question?", "The answer to the question can be found"]
WHY_NOT = ["Is the reason left open?", "The text does not say why", "Nothing in the text answers the question", "The question can not be answered from the text"]

# what happens to a rule, a plan or a version, by what is said of it
RULES = "the earlier decision; the previous order; the old policy; the agreement of 2012; the rule in section 4; last year's contract; the prior ruling; regulation 17; the former version; the 2019 guideline; the first offer; the resolution of March 3; the standing order; the earlier judgment; the building permit; the travel policy; the last statement; release 2.1; the booking; the existing license".split("; ")
FATES = {
    "ends": ("it no longer holds", "is hereby withdrawn; is cancelled; is revoked; is no longer valid; is repealed; is overturned; has been struck down; is void; was annulled; is set aside; is rescinded; is disapproved; shall cease to apply; has been abolished; is overruled; was reversed; is retracted; is superseded by this one; is replaced by the new text; has been called off"),
    "stays": ("it goes on to hold", "is upheld; remains in force; is confirmed; still applies; is affirmed; continues to apply; stays as it is; was left unchanged; is approved; has been renewed; is extended by a year; was reaffirmed; is still binding; keeps its effect"),
    "named": ("it is only spoken of", "was cited by both sides; is described on page 12; was discussed at length; is explained below; was published in the spring; is the subject of this report; has three parts; was written by a committee; is attached to this letter; is known to all members"),
}
FATES_ASKED = {
    "ends": ["Does it end {a}?", "Something that held before is cancelled", "The text nullifies {a}", "Is {a} declared invalid?", "{a} loses its force", "Is {a} overruled?", "The text takes back {a}"],
    "stays": ["Does {a} stay in force?", "{a} is kept", "Is {a} confirmed?", "{a} goes on to hold", "The text upholds {a}"],
}
THINGS = ["an earlier rule", "a former decision", "something decided before", "what was agreed", "a previous text"]

# what a person says of a kind of thing | replies that mean yes, with an example of the kind | replies that mean no
KINDS = """
animal | I have animals; I keep a pet | My {x} is asleep; A {x}; Two of them, and a {x}; I feed my {x} every morning | I gave my {x} away; I am afraid of every {x}; A {x} would not fit in here
food | I eat well; I like good food | I love {x}; I could live on {x}; {x} is what I like most | I can't stand {x}; Not even {x}; I am tired of {x}
vehicle | I own a vehicle; I have something to drive | My {x} is in the garage; An old {x}; I bought a {x} in spring | I sold my {x}; I could never afford a {x}; I walk, a {x} is too dear
clothing | I bought clothes; I got something to wear | A nice {x}; I found a {x} on sale; My new {x} fits well | I left the {x} in the shop; I didn't even find a {x}
plant | I grow plants; I have a garden | My {x} is in bloom; I water the {x} daily; I have just planted a {x} | My {x} died; I would only kill a {x}
musical instrument | I play an instrument; I can make music | I am learning the {x}; I play the {x} in a band; The {x}, since I was six | I gave up the {x}; I could never play the {x}
furniture | I need furniture; My home lacks some furniture | I am looking for a {x}; A {x} would be nice; I have no {x} yet | I just bought a {x}; There is no room for another {x}
tool | I have tools; I can lend you a tool | Take my {x}; The {x} is in the shed; I just used a {x} | I lost my {x}; I never owned a {x}
sport | I do sports; I like to move | I love {x}; {x} twice a week; I train for {x} | I gave up {x}; Even {x} is too hard for me
disease | I am ill; There is something wrong with my health | I have {x}; The doctor says it is {x}; My {x} is back | My {x} is gone; I got over my {x}
worker | I have a profession; I am trained in a job | I work as a {x}; I have been a {x} for years | I was never any good as a {x}; I lost my post as a {x}
building | I own property; I have a building | My {x} is on the hill; I bought an old {x} | I sold the {x}; I can't afford a {x}
"""
MENTIONED = ["Is {a} mentioned?", "The text mentions {a}", "Does it speak of {a}?", "There is {a} in the text", "{a} occurs in it"]

# pieces of unwanted mail
LURES = "Congratulations, you have won a brand new phone; You have been selected for a $1000 gift card; Your account will be suspended today; Make $5000 a week from home; Cheap pills without prescription; Hot singles in your area are waiting; Claim your free cruise now; Lowest rates on loans, no credit check; Your parcel could not be delivered, a fee of 1.99 is due; Double your bitcoin in 24 hours; Lose 20 pounds in two weeks; You are our lucky winner; Final notice: your inheritance of $4.5 million; Get rich with this one trick; Replica watches 80% off; Unclaimed prize waiting for you; Your computer is infected with 5 viruses; Earn cash by clicking ads; Free ringtones for your mobile; Urgent: confirm your bank details; Limited offer just for you; Increase your followers overnight; Win a trip to Dubai; Exclusive casino bonus; You qualify for debt relief".split("; ")
HOOKS = "Click here now; Reply WIN to 80082; Call 0900 123 456 now; Visit www.{w}-offer.biz; Text STOP to end, 150p per message; Act now before it is too late; Send your card number to verify; Open the attachment to claim; Offer ends tonight; No obligation, 100% free; http://{w}.win/claim; Enter your PIN to continue; Order today and save; This is not a scam; Dear friend, trust me; Guaranteed or your money back; Only 3 places left; Sign up in seconds".split("; ")
UNWANTED = ["Is this spam?", "The {} is spam", "Is it an unwanted advertisement?", "Is the {} trying to trick the reader?", "Should it go to the junk folder?", "Is it a scam?"]
WANTED = ["Is this a normal {}?", "The {} is legitimate", "Was it written to somebody by a real person?", "Should it be delivered to the inbox?"]
MAIL_NAMES = [("spam", "ham"), ("spam", "not spam"), ("junk", "normal"), ("advertising", "personal"), ("scam", "legitimate"), ("unwanted", "wanted")]

# what is held against what it should be, how that is asked, and levels from worst to best
GRADED = [("System output", "Reference"), ("Generated", "Expected"), ("Candidate", "Gold"), ("Student", "Model answer"), ("Translation", "Reference translation"), ("Output", "Original"), ("Machine", "Human"), ("System", "Original text"), ("Draft", "Final version")]
GRADES_ASKED = ["Grade the {one}.", "How good is the {one}?", "Score the {one} against the {other}.", "Rate the quality of the {one}.", "How well does the {one} match the {other}?", "How close is the {one} to the {other}?", "Rate how well the {one} reads next to the {other}."]
GRADES = [["wrong", "mostly wrong", "half right", "mostly right", "right"], ["very bad", "bad", "rather bad", "rather good", "good", "very good"], ["0", "1", "2", "3", "4", "5"], ["unusable", "poor", "fair", "good", "excellent"], ["F", "D", "C", "B", "A"],
          ["fails", "passes", "excels"], ["very clumsy", "clumsy", "somewhat clumsy", "somewhat smooth", "smooth", "very smooth"], ["1", "2", "3", "4", "5", "6"], ["very odd", "odd", "a bit odd", "fairly natural", "natural"], ["strongly disagree", "disagree", "agree", "strongly agree"]]

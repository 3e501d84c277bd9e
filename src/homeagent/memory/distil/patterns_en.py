"""How English says it: one row a pattern, tried in order, the first that fits a clause wins.

The same table as `homeagent.memory.distil.patterns_zh`, with the same marks, and: C the value begins with a capital letter; G the value of the clause before it
tells the relation; K the subject has to be a name or a word for somebody.
"""

from __future__ import annotations

from typing import Final

from homeagent.memory.distil.patterns_zh import compiled

__all__ = ["ROWS"]

_SLOTS = {
    "s": r"(?P<s>.{1,48}?)",
    "be": r"(?: is| am| are| was| were|'s|'m|'re)",
    "ing": r"(?: is| am| are|'s|'m|'re)(?: now| currently| still| just| also| already){0,2}",
    "not": r"(?: do not| don't| does not| doesn't| did not| didn't| never| no longer)",
    "quit": r"(?:(?: have| has|'ve|'s)?(?: stopped| quit| given up| gave up| cut out))",
    "adv": r"(?: now| currently| also| still| just| really| always| usually| only| actually| absolutely| mostly| both| normally| too"
    r"| often| totally| basically| very much| originally| already| all| even| mainly){0,3}",
    "o": r"(?P<o>.{1,60}?)",
    "n": r"[\"']?[A-Z\u00c0-\u00de][\w.'\u00c0-\u024f-]*(?: [A-Z\u00c0-\u00de][\w.'\u00c0-\u024f-]*){0,3}[\"']?",
    "in": r"(?:in|on|at|inside|into|to)",
    "at": r"(?:under|underneath|behind|above|below|next to|beside|near|between|on top of|in front of|across from|opposite|outside)",
    "money": r"(?:[$€£¥]\s?[\d,.]+k?|[\d,.]+\s?(?:k )?(?:euros?|dollars?|pounds?|quid|bucks|cents|yuan|kroner|francs|EUR|USD|GBP|CHF|[$€£¥])|[\d,.]+(?= (?:a|per|each) ))"
    r"(?: (?:a|per|each|every) (?:month|week|year|day|night|hour|person|kilo|piece|term))?",
    "unit": r"(?:cm|mm|m|km|metres?|meters?|inch(?:es)?|ft|feet|foot|litres?|liters?|l|kg|kilos?|grams?|g|lbs?|GB|TB|MB|square metres|sqm|m2)",
    "end": r"(?: anymore| any more| at all| now| these days| at the moment| originally| either| too| so much| a lot| very much)*",
}

_TABLE: Final = r"""
called     | z N | (?:please |just |so |everyone |everybody |people |friends |they |you can |you may |my friends |or |from now on |all )*(?P<no>do not |don't |never |stop )?(?:ever )?call(?:s|ing)? me (?P<o>.{1,30}?)(?: please| instead| now)?
name       | N   | (?P<s>.{1,30}?) (?:first |full |real )?name(?:'s| is) (?:actually )?{o}
name       | N   | {s}{be}{adv} (?:called|named) {o}
name       | N z | (?P<s>I)(?: am|'m) (?P<o>{n})
name       | N z | (?:this|it) is (?P<s>)(?P<o>{n}) (?:here|speaking)
birthday   |     | (?P<s>.{1,30}?) birthday(?:'s| is| falls)(?: on)? (?:the )?{o}
birthday   | K   | {s} (?:was|were) born on (?:the )?{o}
from       | K   | {s} (?:was|were) (?:born|born and raised|raised) in {o}
from       | K   | {s}{be}{adv} from {o}{end}
from       | K   | {s}{adv} (?:come|comes|came|hail|hails) from {o}{end}
allergic_to| K   | {s}{be}{adv} (?:severely |badly |highly |a bit )?allergic to {o}{end}
allergic_to| K   | {s} (?:have|has|'ve) an? (?:severe |bad )?(?P<o>\w+) allergy
diet       | K   | {s}{be}{adv} (?:an? )?(?:strict )?(?P<o>vegetarian|vegan|pescatarian|teetotal|teetotaller|coeliac|celiac|gluten-free|flexitarian)
age        | K   | {s}{be}{adv} (?:turning |almost |nearly |about )?(?P<o>\d{1,3}(?: years? old| months? old| years?| and a half)?)
age        | K   | {s} (?:have |has |'ve |'s )?(?:just )?(?:turned|turns|will be|'ll be) (?P<o>\d{1,3})(?: .*)?
lives_in   | K c | {s}(?: have| has|'ve|'s| will| are going to| is going to| am going to|'m going to)?{adv} (?:moved|relocated|moving|move)(?: house| home| back)?(?: from .{1,20}?)? to {o}
lives_in   | K p | {s}{adv} lived {in} {o}
lives_in   | K   | {s}(?:{adv} lives?|{adv} used to live|{ing} living|(?: have| has|'ve)(?: always)? lived)(?: now)? (?:{in}|(?=near|by)) ?{o}
works_at+works_as | K | {s}(?:{adv} works?|{ing} working) (?:for|at|in|with) {o} as (?:an? |the )?(?P<o2>.{1,30}?)
works_as+works_at | K W | {s}{be}{adv} (?:an? |the )(?P<o>.{1,30}?) (?:at|for|with|in) (?P<o2>.{1,40}?)
works_as   | K   | {s}(?:{adv} works?|{adv} worked|{ing} working) as (?:an? |the )?{o}
works_at   | K   | {s}(?:{adv} works?|{ing} (?:working|employed)) (?:for|at|in) {o}
works_at   | K p | {s} (?:worked|used to work) (?:for|at) {o}
works_at   | K c | {s} (?:have |has |'ve |'s )?(?:just )?(?:started at|(?:got|started|landed) a (?:new )?job (?:at|with|in)|started working at) (?P<o>(?:(?! as ).){1,40}?)(?: as .+)?
works_at   | K c C | {s} (?:have |has |'ve |'s )?(?:just )?joined (?:the )?{o}(?: as .+)?
works_as   | K W | {s}{be}{adv} (?:an? |the |training to be an? )(?P<o>.{1,40}?)
studies_at | K p | {s} (?:graduated|got .{1,12} degree) from {o}
studies_at | K p | {s} studied at (?P<o>(?:the )?{n})
studies_at | K p | {s} went to (?P<o>.{0,30}?(?:school|college|university|academy|primary|high))
works_at+works_as | K c | {s}(?: have| has|'ve|'s)?{adv} (?:got|started|landed|have|has) a (?:new )?job (?:at|with|in) {o} as (?:an? )?(?P<o2>.{1,30}?)
studies_at | K   | {s}(?:{adv} (?:goes to|go to|studies at|study at)|{ing}(?: studying)? at) (?P<o>(?:the )?[^ ]{0,20}.{0,30}?(?:school|primary|college|university|academy|kindergarten|nursery|institute|high))
studies    | K   | {s}{be}{adv} (?:studying|learning|majoring in|doing a degree in) (?P<o>(?!to |how |that |about |at |for |in |hard).{1,40}?){end}
studies    | K   | {s}{adv} (?:studies|study|learns?|majors? in) (?P<o>(?!to |how |that |about |at |for |in |hard|from ).{1,40}?){end}
speaks     | K   | {s}{adv} speaks? (?P<o>(?!to |with |about |for ).{1,40}?){end}
likes      |     | (?P<s>my|our|his|her|.{1,20}?'s) favou?rite (?:\w+ ){1,3}?(?:is|are) {o}
dislikes   | K   | {s}{adv}(?:{not}| can't| cannot| could not)(?: really| much)? (?:like|enjoy|love|care for|stand|bear) {o}{end}
dislikes   | K   | {s}(?:{adv} (?:hates?|dislikes?|detests?|loathes?)|{ing} (?:not a (?:big |huge )?fan of|not fond of|scared of|afraid of)) {o}{end}
likes      | K   | {s}(?:{adv} (?:loves?|likes?|enjoys?|adores?|prefers?)|{ing} (?:really |very |quite |such )?(?:fond of|into|a (?:big |huge )?fan of|keen on|obsessed with)) (?P<o>(?!it\b|that\b|this\b|you\b|him\b|her\b|them\b|when\b|how\b).{1,60}?){end}
drinks     | K n | {s}(?:{not}|{quit}){adv}(?: drinks?| drinking| drank) {o}{end}
drinks     | K   | {s}(?:{adv} drinks?|{ing} drinking) {o}{end}
eats       | K n | {s}(?:{not}|{quit}){adv}(?: eats?| eating| ate) {o}{end}
eats       | K   | {s}{adv} eats? {o}{end}
uses       | K n | {s}(?:{not}|{quit}){adv}(?: uses?| using| used) {o}{end}
uses       | K   | {s}(?:{adv} uses?|{ing} using) {o}(?: to .+| for .+| as .+)?
uses       | K c G | {s}(?: have| has|'ve|'s)?{adv} (?:switched|changed over|gone over|converted)(?: from .{1,30}?)?(?: over)? to {o}{end}
plays      | K   | {s}{adv} plays? (?:the |a )?(?P<o>(?!with |around ).{1,30}?){end}
phone      |     | (?P<s>.{1,30}?) (?:phone |mobile |cell |telephone |landline )?(?:number|phone)(?:'s| is)(?: now)? (?P<o>[+(]?\d[\d ()./-]{4,}\d)
email      |     | (?P<s>.{1,30}?) (?:e-?mail)(?: address)?(?:'s| is)(?: now)? (?P<o>\S+@\S+)
address    |     | (?P<s>.{1,30}?) (?:home )?address(?:'s| is)(?: now)? {o}
scheduled  | A n | {s}(?:{be}| has been| have been| got|'s been){adv} (?P<o>cancelled|canceled|called off|off|scrapped)
scheduled  | A n | (?:they|we|I|he|she)(?: have|'ve)? (?:cancelled|canceled|called off) (?P<s>(?P<o>.{1,40}?))
scheduled  | A c T | {s}(?:{be}| has been| have been| got|'s been|){adv} (?:moved|rescheduled|postponed|pushed back|pushed|brought forward|shifted|put off)(?: from .{1,24}?)? (?:to|until|till|for) {o}(?: instead)?
scheduled  | A T | {s}{be}{adv} (?:scheduled |set |booked |due |planned |arranged |)(?:for|on|at) {o}
scheduled  | A T | {s} (?:starts|begins|takes place|happens) (?:on |at |in |){o}
scheduled  | A T | {s}{be}{adv} (?P<o>(?:next|this|every|tomorrow|today|tonight|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b.{0,30}?)
located_at | A c | (?:I|we|he|she|they|.{2,16}?)(?:'ve| have|'s| has)? (?:moved|shifted|transferred) (?P<s>(?:the|my|our|his|her|all the) .{1,30}?) (?:(?:to|into|onto) (?:the )?|(?={at})){o}
located_at | A   | (?:I|we|he|she|they)(?:'ve| have|'s| has| always| usually)* (?:put|placed|left|stored|hid|keep|keeps|kept|stashed|parked|store|hung|stuck|locked) (?P<s>(?:the|my|our|his|her|a|an|all the|some) .{1,30}?) (?:{in} |(?={at})){o}
located_at | A   | {s}{be}{adv}(?: being)?(?: kept| stored| parked| located| hidden| hanging| lying| stashed| buried| standing)? (?:{in} |(?={at} )){o}{end}
located_at | A   | {s}{adv} (?:lives?|hangs?|lies|sits|stands) (?:{in} |(?={at} )){o}{end}
costs      | A   | {s}{be}{adv} (?:about |around |only |now )?(?P<o>{money})
costs      | A   | {s}{adv} (?:costs?|comes to|came to|sells for|went up to|rose to|dropped to)(?: me| us)? (?:about |around |only )?(?P<o>{money})
costs      | A   | (?:I|we) (?:paid|pay|spent) (?P<o>{money}) (?:for|on) {s}
size       | A   | {s}{be}{adv} (?:about |around )?(?P<o>[\d.,]+(?: ?(?:x|by) ?[\d.,]+)? ?{unit}(?: (?:wide|tall|high|long|deep|thick|heavy|across))?)
value      | A c # | {s}(?:{be}| has been| have been| has|'s been| got|){adv} (?:changed|set|updated|switched|reset|upgraded|bumped)(?: from .{1,24}?)? to {o}
value      | A c # | (?:I|we|they|he|she)(?:'ve| have| has)? (?:changed|set|updated|switched|reset|upgraded) (?P<s>(?:the|my|our|his|her|its) .{1,40}?)(?: from .{1,24}?)? to {o}
value      | A #   | {s}(?: is| are| was| =|:)(?: now| still)? {o}(?: now)?
in_charge  |     | (?P<o>{n})(?: is|'s) (?:in charge of|responsible for|looking after) (?P<s>.{1,40}?)
in_charge  |     | (?P<o>{n}) (?:runs|manages|looks after|takes care of) (?P<s>(?:the|our|my) .{1,40}?)
has        | K n | {s}(?:{not}) have (?:an? |any |the )?(?P<o>(?!to |time |enough |idea |clue ).{1,40}?){end}
has        | K   | {s}{adv} (?:has|have|'ve got|have got|has got|'s got|owns?) (?P<o>(?!to |been |had |never |always |just |a look|a good|a great|a nice|fun|no |not |gone |got |a lot of fun|a question|an idea|also |already |recently |ever |[a-z]+ly |[a-z]+ed ).{1,50}?){end}
is_a       | K n | {s}{be} not (?:an? ){o}
is_a       | K   | {s}{be}{adv} (?:an? )(?P<o>[a-z][\w -]{2,30}?)
"""

ROWS: Final = compiled(_TABLE, _SLOTS, ignore_case=True)
"""The table, compiled; letter case is looked at by the checks of values."""

/**
 * Questions in the words of callers, each with a second wording as a model sends it, and a text that only the right passage contains.
 * They were written before the first measurement; changing them after a look at results would make the results worthless.
 */
export interface AskedQuestion {
  question: string;
  /** For `queries`, after the question. */
  rewording: string;
  /** Text of the right passage. */
  answer: string;
}

/** Lines of `question | second wording | text of the right passage`. */
const asked = (lines: string): AskedQuestion[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [question, rewording, answer] = line.split(' | ');
      if (!question || !rewording || !answer) throw new Error(`This line of questions is incomplete: ${line}`);
      return { question, rewording, answer };
    });

/** For paragraphs of XQuAD in English: one of each article, two of each fourth. The questions avoid the words of the paragraph. */
export const PARAPHRASES = asked(`
How leaky was Carolina's back line that year, how much did they concede? | Carolina Panthers defense points allowed season ranking | gave up just 308 points
Who was the most senior man to throw passes in the big game? | oldest quarterback to play in a Super Bowl | oldest quarterback ever to play
What happened to the smaller soccer side of the Polish capital when it ran out of cash? | Warsaw football club relegated because of financial problems | Polonia was relegated
Which foes did the northern knights meet out east? | Normans in the Byzantine Empire fighting against Turks and other enemies | fighting against the Pechenegs
Did those competing inventors ever get that Swedish award? | Tesla and Edison Nobel Prize won or nominated | one of 38 possible bids in 1915
Has it been shown that those groups of difficulty really differ? | proof that complexity classes are unequal P NP PSPACE | would be a major breakthrough in complexity theory
How do you write down an input so that a machine can work on it? | encoding of problem instances as binary strings | must be suitably encoded
Can American kids still get hit by staff? | corporal punishment in schools legal in the United States | did not violate the US Constitution
What did the German reformer think about having to tell a priest your sins? | Martin Luther on compulsory confession | rejected compulsory confession
Where can I catch a plane around LA? | airports in the Los Angeles area and southern California | busiest single runway airport
Did officials snoop on moms getting handouts by looking at what they watch? | benefits agency checking satellite television subscription of single mothers | woman in receipt of benefits as a single mother
What compression does the British pay-TV company use for ordinary and sharper pictures? | BSkyB standard definition and HD broadcast format MPEG | DVB-compliant MPEG-2
When did white folks come to live around Melbourne? | first European settlement in Victoria Australia | first European settlement in the area later known as Victoria
Why did so many French Calvinists run away from home under the Sun King? | persecution of Huguenots by Louis XIV and loss of religious rights | roughly 500,000 Huguenots had fled
What gadget shows how well those old boiler machines run? | instrument to measure the performance of a steam engine | traces on paper the pressure in the cylinder
How do scientists find out how warm it was ages ago from clams? | oxygen isotope ratio in shells used to determine past climate | Paleoclimatologists measure the ratio
What is that tank for that they put scuba people into when they come up too fast? | hyperbaric oxygen chamber treatment of decompression sickness | Hyperbaric (high-pressure) medicine
What did the fuel shortage of the seventies change in how Washington plans? | effect of the 1973 oil crisis on US energy policy | dominated by crisis-mentality thinking
How did they clean up the old moon landing film? | restoration of Apollo 11 video footage | assigned to Lowry Digital
Which agreements is the Brussels bloc built on? | founding treaties of the European Union | began with common rules for coal and steel
What do farmers do with the ground in Brazil's jungle once the trees are gone? | deforested land in the Amazon used for cattle pasture | is used for livestock pasture
Why are green activists worried if the jungle disappears? | environmental concerns about the destruction of the Amazon rainforest, carbon and species | Environmentalists are concerned about loss of biodiversity
How do those sea gooseberries get around in the water? | ctenophora method of locomotion | main method of locomotion
Which roads do I take to get to Fresno by car? | highways and freeways serving Fresno | Fresno is served by State Route 99
Who put the superfast web for colleges together? | research and education computer network consortium in the United States | not-for-profit United States computer networking consortium
What did doctors back then believe made folks ill with the pest? | medieval medical theory of the cause of the Black Death | Medical knowledge had stagnated
Could it have been another germ than the one from rat fleas that killed them all? | alternative explanations for the Black Death instead of Yersinia pestis | the cause was a form of anthrax
How do you tell how old a layer is from the dead creatures in it? | dating rock formations by fossils | principle of faunal succession is based
Any well-known acts that came out of Newcastle? | music groups formed in Newcastle upon Tyne | Lindisfarne are a folk-rock group
Why were people upset when the room with the old violins and harpsichords was shut? | closure of the Musical Instruments gallery controversy | Musical Instruments gallery closed 25 February 2010
Which shows made the alphabet channel number one some forty years back? | popular ABC television series of the 1970s and 1980s | ABC dominated the American television landscape
When did the channel get its plain round badge and jingle? | ABC network logo redesign and theme tune | designed by Pittard Sullivan
What's the story of the Mongol ruler's bride being snatched? | Genghis Khan's wife kidnapped | she was kidnapped by the Merkits
Who in the Arab world moved drug making forward a thousand years ago? | pharmacology in medieval Islam | Abu al-Qasim al-Zahrawi
Why does the body fight germs differently at night? | immune response during sleep and wakefulness, inflammation | why the pro-inflammatory state is reserved for sleep
Why would a protester go to jail without complaint? | civil disobedience and accepting punishment | feel it is incumbent upon them to accept punishment
Which writer came up with peaceful resistance in verse? | poem with the first statement of nonviolent protest | The Mask of Anarchy
Do I have to stick to town rules when I put up a house? | building codes and zoning requirements for a construction project | must adhere to zoning and building code
What kinds of paid colleges in Germany teach a trade outside the state's control? | German private vocational schools funded by tuition fees | Ergänzungsschulen are secondary
How far is the doctors' faculty from the main site at that Ivy League place in Massachusetts? | location of Harvard Medical School campus and distance | 358-acre (145 ha) campus
Which colonists came earliest to the north of the Sunshine State? | first European settlement near Jacksonville, French fort | established the first European settlement, Fort Caroline
How bad do cyclones get in Jacksonville? | hurricanes affecting Jacksonville Florida | suffered less damage from hurricanes
Did scholars once think that a gap between rich and poor is good for business? | theories that inequality has a positive effect on economic growth | savings by the wealthy, if these increase
Was the time traveller ever in the theatre? | Doctor Who stage plays | has appeared on stage numerous times
What do the oldest houses on the Windy City college grounds look like? | architecture of the first University of Chicago campus buildings | plotted by Chicago architect Henry Ives Cobb
Which Mongol ruler got murdered by relatives after a brief time on the throne? | Yuan dynasty emperor assassinated after a short reign | Gegeen was assassinated in a coup
Were there European style healers at the great Khan's palace? | Western medicine in China under the Yuan dynasty | founded the Office of Western Medicine
Did the US leader ever drop by Nairobi? | Obama visit to Kenya | first American president to visit the country while in office
Which famous curve about how hot it has been for ten centuries did the climate experts print? | IPCC report hockey stick graph of temperature | as the "hockey stick graph"
What do people get wrong about the two skins around the green bits of plant cells? | misconceptions about the outer and inner membranes of chloroplasts | common misconceptions about the outer
What do you call values you can't split evenly? | definition of a prime number and its divisors | has no positive divisors other than 1 and itself
Do we know if the ones that sit two apart go on forever? | twin prime conjecture, infinitely many pairs | Polignac's conjecture is a strengthening
Where does the big German river fan out before the sea? | Rhine delta in the Netherlands | begins near Millingen aan de Rijn
Who up in Holyrood looks at plans for new railways from outsiders? | Scottish Parliament committee for private bills on infrastructure projects | Private Bill Committees have been set up
Who pulled the strings of the religious government in Khartoum? | Sudan Islamist regime leader | under the leadership of Hassan al-Turabi
When did Paris grab land across the Mediterranean and beyond? | French colonial empire expansion in Africa and Asia | France took control of Algeria in 1830
How did people over here picture Asia as backward, according to that professor? | Edward Said theory of Orientalism | Orientalism, as theorized by Edward Said
Where does the nickname of that Protestant denomination come from? | origin of the name Methodists, Oxford students | they were the "Holy Club"
How many more English colonists were there than Gallic ones back then? | population of British and French settlers in North America | outnumbered the French 20 to 1
If it isn't a pull, why do things fall, per Einstein? | general relativity, gravity and curved space-time | theory that best explains gravity
`);

/** For paragraphs of XQuAD in English: the question in another language, the second wording in English. */
export const CROSS_LANGUAGE = asked(`
Seit wann kann man in der polnischen Hauptstadt Aktien handeln? | history of the Warsaw stock exchange | first stock exchange was established in 1817
Avec qui l'inventeur serbe a-t-il monté sa propre société d'éclairage ? | Tesla's partners in founding his electric lighting company | Robert Lane and Benjamin Vail
¿Qué fue lo último que escribió el reformador alemán antes de morir? | last written words of Martin Luther | We are beggars
Con quale satellite è partita la TV digitale britannica? | satellite used for the launch of Sky Digital | used the Astra 2A satellite
Wie erzeugt Dampf, der auf Schaufeln trifft, eine Drehung? | how a steam turbine works, blades and rotor | series of stators (static discs)
Quelles conséquences l'arrêt des livraisons de pétrole a-t-il eues pour les États-Unis ? | effects of the oil embargo on the US economy | embargo had a negative influence on the US economy
Em que ano a seca na floresta foi ainda pior do que a de 2005? | severe drought in the Amazon rainforest | experienced another severe drought
¿Qué avenida con palmeras lleva el nombre de un empresario rico? | boulevard lined with palm trees named after a rich entrepreneur | lined with tall palm trees
Кто первым понял, что Земля гораздо старше, чем думали? | geologist who first argued that the Earth is much older | often viewed as the first modern geologist
Hoeveel kunstvoorwerpen uit Azië heeft het museum in Londen? | Victoria and Albert Museum East Asian collection, number of objects | Far Eastern collections include more than 70,000
Darf ein Arzt mit einem Apotheker gemeinsam ein Geschäft führen? | business partnership of pharmacists and physicians | cannot form business partnerships with physicians
Qual è la differenza tra protestare contro una legge e voler rovesciare il governo? | revolutionary and non-revolutionary civil disobedience | Non-revolutionary civil disobedience is
哪些美国总统毕业于这所大学？ | American presidents who graduated from Harvard University | Rutherford B. Hayes
Hur påverkar ojämlikhet utbildning och tillväxt när man inte kan låna pengar? | inequality, access to credit, human capital and growth | In 1993, Galor and Zeira
Hatten die vier Stände unter den Mongolen wirklich mit Reichtum zu tun? | Yuan dynasty four-class system and actual wealth | Frederick W. Mote wrote
De combien les humains sont-ils responsables du réchauffement selon le rapport ? | IPCC report on the share of human activities in global warming | responsible for over half the enhanced greenhouse effect
Birinci Dünya Savaşı'ndan sonra nehrin çevresindeki bölgeye ne oldu? | Rhineland after World War I | Rhineland was subject to the Treaty of Versailles
ما الخدمات الاجتماعية التي تقدمها هذه الجماعات للفقراء؟ | social services provided by Islamist movements | well known for providing shelters
Kto dowodził wojskami francuskimi, które przybyły do Ameryki w 1756 roku? | commander of French troops arriving in North America in 1756 | led by Major General Louis-Joseph de Montcalm
Womit behandelt man Taucher, die zu schnell aufgetaucht sind? | treatment of divers with decompression sickness | Hyperbaric (high-pressure) medicine
`);

/** A document of the large collection (`real/…`) or of the project (relative to its folder). */
export interface QuestionedDocument {
  path: string;
  questions: AskedQuestion[];
}

/** Fifty questions to seven documents, which one agent has at the same time. */
export const DOCUMENTS: QuestionedDocument[] = [
  {
    path: 'real/testPDF_protected.pdf',
    questions: asked(`
How empty did the hotels get in Hong Kong when the virus came? | hotel occupancy rates in Hong Kong during SARS | fell from over 80% to less than 15%
How many died of that Asian lung disease in the end? | SARS number of infected people and deaths | Only around 8000 people were infected
Why did nobody want to give each other credit after that New York bank went bust? | Lehman bankruptcy, banks hoarding liquidity | Banks hoarded liquidity for fear of lending
How much would I have to read to understand those repackaged loans? | structured products due diligence pages of documentation | in excess of 1 billion pages
What can money people learn from the sea being emptied? | collapse of fish stocks and lack of diversity compared with the financial system | mirrored the fortunes of the fisheries
How much have governments spent so far on rescuing the banks? | total of public interventions and guarantees for banks during the crisis | in excess of £5 trillion
Why did one country keep its AIDS numbers so much lower than America? | HIV prevention policy in Australia compared with the United States | grounded in biology rather than theology
What's the tale of the two clock builders about? | parable of the two watchmakers | tells the parable of two watchmakers
Would one middleman between all buyers and sellers make things safer? | central counterparty reduces counterparty risk | interpose themselves between every trade
Do the giant banks hold a thicker cushion than the small ones? | relationship between bank size and capital ratios | systemic importance and their Basel capital ratios
`),
  },
  {
    path: 'real/testJournalParser.pdf',
    questions: asked(`
How big are these tiny robots? | dimensions of the microrobot in micrometres | a globally controllable 240
What are the two positions of the bit that makes it turn? | steering arm raised or lowered state | arm raised, hysteresis state = 0
Why is it hard to drive lots of them at once? | controlling many microrobots with a single global control signal | significantly more challenging than control of single microrobot
Which metal do they put on so that the arm bends upwards? | stressor layer material for the curvature of the steering arm | Chromium, Cr
How many of them can the older method handle before it breaks down? | maximum number of robots with ensemble control | not successful for more than ten
What would I use such little machines for? | applications of microscale robotic systems | have many applications in areas such as
What do they move on, what's the floor made of? | microrobot operating surface substrate electrodes | grid of insulated interdigitated electrodes
How do I reach the person who wrote this? | contact author telephone e-mail address | vforou2@uic.edu
How does the power make it step ahead? | scratch drive actuator forward step voltage | converts this vertical motion into a forward step
What did they find out in the end? | conclusion and results of the paper | lay the theoretical foundation for developing new methods
`),
  },
  {
    path: 'real/testException1.doc',
    questions: asked(`
How many folks out there live with a handicap? | number of Western Australians with a disability | 405,500 Western Australians
How many look after a relative who needs help? | number of carers for people with disabilities | 246,800 Western Australians are carers
When was the old law updated? | Disability Services Act amended | was amended in December 2004
How often do we have to look over our scheme again? | how often the plan must be reviewed | at least every five years
By when did the final version have to be handed in? | deadline to lodge the finalised plan | finalised plan with the Disability Services Commission by
Do we need to ask the locals what they think, and where do we announce it? | public consultation, notice in a newspaper or on a website | must call for submissions
Can a blind person get a copy to listen to? | plan available in audio format and large print | audio format on cassette
What number do I ring if I live far out in the bush? | telephone number for country callers | 1800 998 214
Can someone in a wheelchair get into all the offices? | access to buildings and facilities of a public authority | access the buildings and other facilities
Who has to draw up such a scheme? | authorities required to have a Disability Access and Inclusion Plan | all Local Governments are required to have a DAIP
`),
  },
  {
    path: 'docs/webhook-delivery.md',
    questions: asked(`
My server was down over the weekend, how do I get what I missed? | replay deliveries after an outage | After an outage, replay all deliveries
Can the same notification come twice? | duplicate events, at least once delivery | Store the ids that you have handled
How long do you keep trying when nobody picks up at my end? | retry schedule of failed webhooks | after 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours
How quick does my program have to be? | response timeout of a webhook endpoint in seconds | Answer 2xx within ten seconds
Is there a way to try out my address before going live? | send a test webhook | A test is sent like any webhook
Why did you stop sending to my address altogether? | webhook endpoint disabled after failures | or after 120 hours of failures only
Will a slow customer hold up mine? | fair delivery between accounts | Accounts are served in turn
`),
  },
  {
    path: 'docs/webhook-signatures.md',
    questions: asked(`
How do I know that the message really comes from you? | verify webhook signature | rejects requests that are more than five minutes old
Our key got out, how do we switch to a new one? | rotate webhook secret | The response shows the new secret once
`),
  },
  {
    path: 'docs/webhooks.md',
    questions: asked(`
How long can I play back the audio from the link? | recording link expiry in days | works for seven days without a token
`),
  },
  {
    path: 'node_modules/typescript/LICENSE.txt',
    questions: asked(`
May I take money for helping my clients with it? | charge a fee for support or warranty | charge a fee for, acceptance of support
What do I lose if I take them to court over an invention? | patent litigation terminates the patent license | shall terminate as of the date such litigation is filed
Who pays if the program wrecks my machine? | liability for damages and computer failure | computer failure or malfunction
Can I put their logo on my box? | permission to use trademarks of the licensor | does not grant permission to use the trade names
Do I need to say what I altered? | modified files must carry notices of changes | carry prominent notices stating that You changed the files
Is there any promise that it works? | disclaimer of warranty | WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND
If I send in a patch, under which rules is it? | license terms of submitted contributions | inclusion in the Work by You to the Licensor
What counts as owning a company? | definition of control and ownership of a legal entity | fifty percent (50%) or more
Is something that just talks to it from outside a spin-off? | definition of derivative works, linking to the interfaces | merely link (or bind by name)
May I hand out copies, and is there a price for me? | copyright license grant to reproduce and distribute | no-charge, royalty-free, irrevocable copyright license
`),
  },
];

import { type Disclosure, disclosuresIn, show } from './html-disclosures.js';
import {
  attribute,
  closest,
  elementsIn,
  headingLevel,
  type HtmlElement,
  type HtmlNode,
  labelOf,
  lengthOf,
  lineageOf,
  nameOf,
  rename,
  replaceWithAll,
  roleOf,
  SECTION_END,
  SECTION_START,
} from './html-dom.js';

/** A heading and its panel, for which Readability sees one paragraph (see `foldSections`). */
interface Section {
  heading?: HtmlElement;
  /** Consecutive siblings that contain heading and panel. */
  nodes: HtmlElement[];
  panel: HtmlElement;
}

export type Sections = readonly Section[];

const MAX_HEADING_LENGTH = 300;
/** Labels that name no subject: the panel is shown below the text before it. */
const GENERIC_LABEL = new RegExp(
  `^(?:${[
    '(?:read|show|see|view|learn|load|tell me) (?:more|less|all|details|answer)',
    '(?:click|tap)(?: here)? to (?:expand|open|show|reveal)',
    'more|less|details|open|close|show|hide|answer',
    '(?:expand|collapse|toggle)(?: \\p{L}+){0,2}',
    '(?:show|hide|open|close) (?:all|sections?|content|text|answers?|description|code|solution|source)',
    '(?:mehr|weniger|alles|alle|details)(?: (?:anzeigen|lesen|erfahren|zeigen))?|weiterlesen|(?:aus|ein|auf|zu)klappen',
    '(?:en savoir|lire|voir|afficher)(?: (?:plus|la suite|moins|tout))',
    '(?:leer|ver|mostrar|saber) (?:más|menos|todo)|(?:ler|ver|mostrar|saber) (?:mais|menos|tudo)',
    '(?:leggi|mostra|scopri) (?:di più|altro|tutto|meno)|(?:lees|toon|bekijk) (?:meer|minder|alles)',
    '(?:czytaj|pokaż|zobacz) więcej|(?:läs|visa) (?:mer|mindre|alla)|(?:подробнее|показать(?: вс[её]| ещё)?|читать далее)',
    '(?:もっと見る|続きを読む|詳細|展开|展開|收起|更多|查看更多|더 보기|자세히)',
  ].join('|')})[\\s.…:>»›+-]*$`,
  'iu',
);

/**
 * Makes the sections behind the triggers of a page plain content: each trigger becomes a heading before its panel, and the
 * panel is no longer hidden. Buttons in other headings become text.
 */
export function openSections(root: HtmlNode): Sections {
  const disclosures = disclosuresIn(root);
  const opener = new SectionOpener(root, disclosures);
  const sections = disclosures.map((disclosure) => {
    reveal(disclosure);
    return opener.open(disclosure);
  });
  keepHeadingButtons(root);
  const lowered = new Map<HtmlElement, HtmlElement>();
  for (const section of sections) lowerHeadings(section, lowered, opener.created);
  return sections.map((section) => mark(section, lowered));
}

/** With the elements that replaced its headings, and with marks for the writer of the blocks. */
function mark(section: Section, lowered: Map<HtmlElement, HtmlElement>): Section {
  const nodes = section.nodes.map((node) => latest(node, lowered));
  const level = section.heading ? headingLevel(latest(section.heading, lowered)) : 0;
  if (level > 0) {
    nodes[0]?.setAttribute(SECTION_START, '');
    nodes.at(-1)?.setAttribute(SECTION_END, `${level}`);
  }
  return { ...section, nodes };
}

/** The level of the heading that a trigger becomes: below the heading before it, and below the panel around it. */
class TriggerLevels {
  private readonly levels = new Map<HtmlElement, number>();
  private readonly panels: Map<HtmlElement, HtmlElement>;

  constructor(root: HtmlNode, disclosures: Disclosure[]) {
    this.panels = new Map(disclosures.map(({ trigger, panel }) => [panel, trigger]));
    const triggers = new Set(disclosures.map(({ trigger }) => trigger));
    const last = new Map<HtmlElement | undefined, number>();
    for (const element of elementsIn(root)) {
      const level = headingLevel(element);
      if (level === 0 && !triggers.has(element)) continue;
      const around = this.panelAround(element);
      if (triggers.has(element))
        this.levels.set(element, Math.min(6, Math.max(last.get(around) ?? 1, this.levelOf(around)) + 1));
      else if (!elementsIn(element).some((inner) => triggers.has(inner))) last.set(around, level);
    }
  }

  of(trigger: HtmlElement): number {
    return this.levels.get(trigger) ?? 2;
  }

  private panelAround(element: HtmlElement): HtmlElement | undefined {
    return closest(element, (node) => this.panels.has(node));
  }

  private levelOf(panel: HtmlElement | undefined): number {
    return (panel && this.levels.get(this.panels.get(panel)!)) ?? 1;
  }
}

/** Shows the panel, the boxes between it and its trigger, and a panel's only box. */
function reveal({ trigger, panel }: Disclosure): void {
  const around = new Set(lineageOf(trigger));
  for (const node of lineageOf(panel)) {
    if (around.has(node)) break;
    show(node);
  }
  for (let [only, ...others] = panel.children; only && others.length === 0; [only, ...others] = only.children)
    show(only);
}

class SectionOpener {
  /** The triggers that became headings. */
  readonly created = new Set<HtmlElement>();
  private readonly levels: TriggerLevels;
  /** How many triggers an element contains. */
  private readonly crowds = new Map<HtmlElement, number>();

  constructor(root: HtmlNode, disclosures: Disclosure[]) {
    this.levels = new TriggerLevels(root, disclosures);
    for (const { trigger } of disclosures)
      for (const node of lineageOf(trigger)) this.crowds.set(node, (this.crowds.get(node) ?? 0) + 1);
  }

  open({ trigger, panel }: Disclosure): Section {
    const [head, body] = branches(trigger, panel);
    const isNext = head && body && this.crowds.get(head) === 1 && follows(head, body) && isOnlyText(panel, body);
    const heading = this.headingOf(trigger, this.levels.of(trigger), isNext ? head : undefined);
    if (!heading) return { nodes: [panel], panel };
    if (closest(panel, (node) => node === heading)) {
      heading.after(panel);
      return { heading, nodes: [heading, panel], panel };
    }
    const top = closest(heading, (node) => node.parentNode === body?.parentNode);
    if (isNext && top) return { heading, nodes: [...between(top, body)], panel };
    const first = elementsIn(panel).find(isHeading);
    heading.remove();
    if (first && labelOf(first) === labelOf(heading)) return { heading: first, nodes: [panel], panel };
    if (/^(?:TABLE|PRE|P|TR)$/.test(nameOf(panel))) {
      panel.before(heading);
      return { heading, nodes: [heading, panel], panel };
    }
    panel.prepend(heading);
    return { heading, nodes: [panel], panel };
  }

  /**
   * Turns the trigger into a heading, unless it is inside one or contains one. `head`: the box before the panel, which may
   * contain the question beside a button "+".
   */
  private headingOf(trigger: HtmlElement, level: number, head?: HtmlElement): HtmlElement | undefined {
    const around = closest(trigger, isHeading);
    if (around) return plain(around);
    const inside = elementsIn(trigger).find(isHeading);
    if (inside) {
      if (nameOf(trigger) === 'BUTTON' || nameOf(trigger) === 'SUMMARY') rename(trigger, 'div');
      return plain(inside);
    }
    const label = labelOf(trigger);
    if (!/[\p{L}\p{N}]/u.test(label) || GENERIC_LABEL.test(label)) {
      const isHead = head === trigger;
      trigger.remove();
      return head && !isHead ? this.headingBeside(head, level) : undefined;
    }
    if (label.length > MAX_HEADING_LENGTH || /^(?:TR|TD|TH|TABLE|TBODY)$/.test(nameOf(trigger))) return undefined;
    const term = trigger.parentNode && nameOf(trigger.parentNode) === 'DT' ? trigger.parentNode : trigger;
    return this.create(term, level);
  }

  private headingBeside(head: HtmlElement, level: number): HtmlElement | undefined {
    const heading = isHeading(head) ? head : elementsIn(head).find(isHeading);
    if (heading) return plain(heading);
    const label = labelOf(head);
    return label.length <= MAX_HEADING_LENGTH && /[?？؟;]$/.test(label) ? this.create(head, level) : undefined;
  }

  private create(element: HtmlElement, level: number): HtmlElement {
    const heading = plain(rename(element, `h${level}`));
    this.created.add(heading);
    return heading;
  }
}

/** The children of the nearest common ancestor that contain trigger and panel. */
function branches(trigger: HtmlElement, panel: HtmlElement): [HtmlElement?, HtmlElement?] {
  const up = [...lineageOf(trigger)];
  const around = new Map(up.map((node, index) => [node, index]));
  let body: HtmlElement | undefined;
  for (const node of lineageOf(panel)) {
    const index = around.get(node);
    if (index !== undefined) return [up[index - 1], body];
    body = node;
  }
  return [];
}

const FEW_STEPS = 3;

function follows(head: HtmlElement, body: HtmlElement): boolean {
  let next = head.nextElementSibling;
  for (let step = 0; next && next !== body && step < FEW_STEPS && labelOf(next, 0) === ''; step++)
    next = next.nextElementSibling;
  return next === body;
}

const OTHER_TEXT = 40;

/** Whether the box around the panel has little other text. */
const isOnlyText = (panel: HtmlElement, body: HtmlElement): boolean =>
  panel === body || lengthOf(body) <= lengthOf(panel) + OTHER_TEXT;

function* between(from: HtmlElement, to: HtmlElement): Generator<HtmlElement> {
  for (let node: HtmlElement | null = from; node; node = node.nextElementSibling) {
    yield node;
    if (node === to) return;
  }
}

const isHeading = (node: HtmlElement): boolean => headingLevel(node) > 0;

/** The buttons of a heading become text. Readability removes headings by their class. */
function plain(heading: HtmlElement): HtmlElement {
  for (const name of ['class', 'id', 'role']) heading.removeAttribute(name);
  for (const element of elementsIn(heading)) {
    if (element.getAttribute('data-nosnippet') !== null) element.remove();
    else if (nameOf(element) === 'BUTTON') rename(element, 'span');
  }
  return heading;
}

/** `<h2><button>Question</button></h2>`, but not a button beside the text of a heading. */
function keepHeadingButtons(root: HtmlNode): void {
  for (const button of elementsIn(root)) {
    if (nameOf(button) !== 'BUTTON' && roleOf(button) !== 'button') continue;
    const heading = closest(button, (node) => isHeading(node) || ['DT', 'SUMMARY'].includes(nameOf(node)));
    if (heading && labelOf(heading) === labelOf(button)) rename(button, 'span');
  }
}

/** The page's headings inside a panel are below its own. `lowered`: the elements that replace headings. */
function lowerHeadings(
  { heading, panel }: Section,
  lowered: Map<HtmlElement, HtmlElement>,
  created: ReadonlySet<HtmlElement>,
): void {
  const own = heading && latest(heading, lowered);
  const below = elementsIn(panel).filter((element) => isHeading(element) && element !== own && !created.has(element));
  if (!own || below.length === 0) return;
  const highest = Math.min(...below.map(headingLevel));
  const by = headingLevel(own) + 1 - highest;
  if (by <= 0) return;
  for (const element of below) lowered.set(element, rename(element, `h${Math.min(6, headingLevel(element) + by)}`));
}

function latest(element: HtmlElement, lowered: Map<HtmlElement, HtmlElement>): HtmlElement {
  let node = element;
  for (let next = lowered.get(node); next; next = lowered.get(next)) node = next;
  return node;
}

const MARK = 'data-folded-section';
/** A larger panel is the article itself. */
const MAX_SHARE = 0.5;

interface FoldedSection extends Section {
  characters: number;
  isEdge: boolean;
}

/** What became of the sections in the article. */
export interface Unfolded {
  /** Characters of the sections that the article contains, and of all that are not at the edge of the page. */
  kept: number;
  all: number;
}

/**
 * Replaces each section by one paragraph, because Readability removes headings and boxes by their class names, short boxes
 * and boxes of lists. Returns a function that puts the sections back into the article.
 */
export function foldSections(sections: Sections, root: HtmlNode): (article: HtmlNode) => Unfolded {
  const limit = MAX_SHARE * labelOf(root, Infinity).length;
  const folded = new Map<string, FoldedSection>();
  const gone = new Set<HtmlElement>();
  for (const section of sections) {
    const [first] = section.nodes;
    if (!first || !isWithin(first, root) || closest(first, (node) => gone.has(node))) continue;
    const text = section.nodes.map((node) => labelOf(node, Infinity)).join(' ');
    // Readability keeps definition lists.
    if (text.length > limit || nameOf(section.panel) === 'DD') {
      unclassed(section);
      continue;
    }
    const paragraph = paragraphOf(first, text);
    paragraph.setAttribute(MARK, `${folded.size}`);
    folded.set(`${folded.size}`, { ...section, characters: text.length, isEdge: closest(first, isEdge) !== undefined });
    first.before(paragraph);
    for (const node of section.nodes) {
      gone.add(node);
      node.remove();
    }
  }
  return (article) => unfold(article, folded);
}

/** Readability keeps the boxes around a table with a summary, whatever their classes are. */
function paragraphOf({ ownerDocument }: HtmlElement, text: string): HtmlElement {
  const paragraph = ownerDocument.createElement('p');
  const table = ownerDocument.createElement('table');
  table.setAttribute('summary', MARK);
  paragraph.append(text, table);
  return paragraph;
}

function unfold(article: HtmlNode, folded: Map<string, FoldedSection>): Unfolded {
  let kept = 0;
  for (const element of elementsIn(article)) {
    const section = folded.get(attribute(element, MARK));
    if (!section) continue;
    replaceWithAll(element, section.nodes);
    if (!section.isEdge) kept += section.characters;
  }
  const all = [...folded.values()].reduce((sum, { isEdge, characters }) => sum + (isEdge ? 0 : characters), 0);
  return { kept, all };
}

function isEdge(node: HtmlElement): boolean {
  return /^(?:ASIDE|FOOTER|NAV)$/.test(nameOf(node)) || /^(?:complementary|contentinfo|navigation)$/.test(roleOf(node));
}

/** The names of a panel that is the article would make Readability remove it. */
function unclassed({ nodes, panel }: Section): void {
  for (const element of [...nodes, panel]) for (const name of ['class', 'id', 'role']) element.removeAttribute(name);
}

/** Whether the element is still in the document, not in a part that was removed. */
function isWithin(element: HtmlElement, root: HtmlNode): boolean {
  let node: HtmlNode | null = element;
  for (const ancestor of lineageOf(element)) node = ancestor.parentNode;
  return node === root;
}

import {
  appendAll,
  attribute,
  closest,
  elementsIn,
  ELEMENT,
  headingLevel,
  type HtmlElement,
  type HtmlNode,
  labelOf,
  lineageOf,
  nameOf,
  roleOf,
  SILENT,
  TEXT,
} from './html-dom.js';
import { isHidingStyle } from './html-styles.js';

/** An element that shows and hides another: the button of an accordion, a tab, a summary. */
export interface Disclosure {
  trigger: HtmlElement;
  panel: HtmlElement;
}

/** The disclosures of a page whose panels are content, in the order of their triggers. Wraps the panels of `details`. */
export function disclosuresIn(root: HtmlNode): Disclosure[] {
  const elements = elementsIn(root);
  const finder = new DisclosureFinder(elements);
  const places = new Map(elements.map((element, index) => [element, index]));
  const place = ({ trigger }: Disclosure): number => places.get(trigger) ?? 0;
  return finder.find().sort((a, b) => place(a) - place(b));
}

/** Hidden by its own attributes. `hidden="until-found"` is found by the search of a browser and counts as visible. */
export function isConcealed(element: HtmlNode): boolean {
  const hidden = element.getAttribute?.('hidden');
  if (hidden != null && hidden.toLowerCase() !== 'until-found') return true;
  return attribute(element, 'aria-hidden') === 'true' || isHidingStyle(attribute(element, 'style'));
}

export function show(element: HtmlElement): void {
  if (element.getAttribute('hidden') === null && !isConcealed(element)) return;
  for (const name of ['hidden', 'aria-hidden', 'style']) element.removeAttribute(name);
}

const TOGGLES = /^(?:collapse|tab|pill|list)$/i;
const OTHER_TOGGLES = /^(?:modal|dropdown|offcanvas|popover|tooltip)$/i;
const TAB_LIST_CLASS =
  /(?:^|[\s_-])(?:tabs?|nav-tabs|nav-pills|tabs?-?(?:list|nav|menu|titles|labels)|tabbed-labels)(?:$|\s)/i;
const TAB_PANEL_CLASS = /(?:^|\s)(?:tabbed-block|tab-pane|tabs-panel)(?:$|\s)/i;
const QUESTION_CLASS = /accordion|collaps|faq|expan[ds]|disclosure|question/i;
const LABEL_CLASS =
  /(?:accordion|collaps\w*|faq|expan[ds]\w*|disclosure|toggle|tabs?(?=[-_]))[\w-]*?(?:title|question|head|header|heading|trigger|label|button|summary|name|control)\b|(?:^|[\s_-])question(?:$|[\s_-])/i;
const ANSWER_CLASS = /answer|content|body|panel|collaps|text|inner|details?|description/i;
/** A larger sibling is the page itself. */
const MAX_ANSWER_LENGTH = 20_000;
const MAX_LABEL_LENGTH = 300;
const LONG_VALUE = 200;
const LEVELS_UP = 3;
const QUESTION = /[?？؟;]\s*$/;

class DisclosureFinder {
  private readonly ids = new Map<string, HtmlElement>();
  private readonly claimed = new Set<HtmlElement>();
  private readonly triggers = new Set<HtmlElement>();
  /** Elements that are or contain triggers and panels. */
  private readonly occupied = new Set<HtmlElement>();
  private readonly found: Disclosure[] = [];

  constructor(private readonly elements: HtmlElement[]) {
    for (const element of elements) {
      const id = attribute(element, 'id');
      if (id !== '' && !this.ids.has(id)) this.ids.set(id, element);
    }
  }

  find(): Disclosure[] {
    for (const element of this.elements) if (nameOf(element) === 'SUMMARY') this.summary(element);
    for (const element of this.elements) this.controls(element);
    for (const element of this.elements) this.labelled(element);
    this.tabsByPosition();
    for (const element of this.elements) this.question(element);
    for (const element of this.elements) this.term(element);
    return this.found;
  }

  private add(trigger: HtmlElement, panel: HtmlElement): void {
    if (this.triggers.has(trigger) || this.claimed.has(panel)) return;
    if (trigger !== panel && closest(panel, (node) => node === trigger)) trigger.after(panel);
    if (!isContent(trigger, panel)) return;
    this.triggers.add(trigger);
    this.claimed.add(panel);
    for (const element of [trigger, panel]) for (const node of lineageOf(element)) this.occupied.add(node);
    this.found.push({ trigger, panel });
  }

  private summary(summary: HtmlElement): void {
    const details = summary.parentNode;
    if (!details || nameOf(details) !== 'DETAILS') return;
    const rest = [...details.childNodes].filter((child) => child !== summary);
    const panel = details.ownerDocument.createElement('div');
    appendAll(panel, rest);
    details.append(panel);
    this.add(summary, panel);
  }

  private controls(trigger: HtmlElement): void {
    if (this.triggers.has(trigger)) return;
    for (const id of targetsOf(trigger)) {
      const panel = this.ids.get(id);
      if (panel && (isToggle(trigger) || isConcealed(panel))) this.add(trigger, panel);
    }
  }

  /** A panel may name its trigger instead. */
  private labelled(panel: HtmlElement): void {
    const label = this.ids.get(attribute(panel, 'aria-labelledby'));
    if (!label || !(roleOf(panel) === 'tabpanel' || roleOf(panel) === 'region' || isConcealed(panel))) return;
    if (isToggle(label) || isButton(label) || headingLevel(label) > 0) this.add(label, panel);
  }

  /** The third tab belongs to the third panel, if a list of tabs is the only one beside as many panels. */
  private tabsByPosition(): void {
    const lists = this.elements.filter((element) => roleOf(element) === 'tablist' || hasClass(element, TAB_LIST_CLASS));
    const count = new Map<HtmlElement, number>();
    for (const list of lists) for (const node of lineageOf(list)) count.set(node, (count.get(node) ?? 0) + 1);
    for (const list of lists) {
      let around = list.parentNode;
      for (let up = 0; up < LEVELS_UP && around && count.get(around) === 1; up++, around = around.parentNode) {
        if (this.pairTabs(list, around)) break;
      }
    }
  }

  private pairTabs(list: HtmlElement, around: HtmlElement): boolean {
    const tabs = tabsOf(list);
    const isPanel = (node: HtmlElement): boolean => roleOf(node) === 'tabpanel' || hasClass(node, TAB_PANEL_CLASS);
    const panels = elementsIn(around).filter(isPanel);
    if (tabs.length === 0 || panels.length !== tabs.length) return false;
    tabs.forEach((tab, index) => this.add(tab, panels[index]!));
    return true;
  }

  /** The label of a check box that shows the answer by style rules. */
  private isSwitch(element: HtmlElement): boolean {
    const input = nameOf(element) === 'LABEL' ? this.ids.get(attribute(element, 'for')) : undefined;
    if (!input || !/^(?:checkbox|radio)$/i.test(attribute(input, 'type'))) return false;
    return !closest(element, (node) => nameOf(node) === 'FORM');
  }

  /** A term of a definition list without a button. */
  private term(term: HtmlElement): void {
    const value = term.nextElementSibling;
    if (nameOf(term) !== 'DT' || !value || nameOf(value) !== 'DD' || elementsIn(term).some(isToggle)) return;
    if (isExplained(term, value)) this.add(term, value);
  }

  /** A button or a titled box without ARIA, followed by its answer. */
  private question(element: HtmlElement): void {
    if (this.occupied.has(element)) return;
    const isSwitched = this.isSwitch(element);
    if (!isSwitched && !mayAsk(element) && !isButton(element)) return;
    const answer = followingBox(element);
    if (!answer || this.occupied.has(answer) || closest(element, (node) => this.triggers.has(node))) return;
    if (!isSwitched && !mayAsk(element) && !isShownByScript(answer)) return;
    const isMarked = attribute(element, 'aria-expanded') !== '' || isButton(element) || isConcealed(answer);
    if (!isMarked && !hasClass(answer, ANSWER_CLASS)) return;
    if (labelOf(answer, MAX_ANSWER_LENGTH).length < MAX_ANSWER_LENGTH) this.add(element, answer);
  }
}

/** The list is one of questions or long explanations, not of short facts. */
function isExplained(term: HtmlElement, value: HtmlElement): boolean {
  if (QUESTION.test(labelOf(term)) || labelOf(value, LONG_VALUE).length > LONG_VALUE) return true;
  return elementsIn(value).some((element) => /^(?:P|UL|OL|PRE|TABLE|DL)$/.test(nameOf(element)));
}

function mayAsk(element: HtmlElement): boolean {
  if (headingLevel(element) > 0 || ['BODY', 'MAIN', 'FORM', 'LI', 'UL', 'TABLE', 'TR'].includes(nameOf(element)))
    return false;
  const label = labelOf(element);
  if (label === '' || label.length > MAX_LABEL_LENGTH) return false;
  if (attribute(element, 'aria-expanded') !== '' || hasClass(element, LABEL_CLASS)) return true;
  return isButton(element) && (hasClass(element, QUESTION_CLASS) || QUESTION.test(label));
}

/** The next element with text, also after a heading or box that contains nothing but the button. */
function followingBox(element: HtmlElement): HtmlElement | undefined {
  const label = labelOf(element);
  let from = element;
  for (let up = 0; up <= LEVELS_UP; up++) {
    for (let next = from.nextElementSibling, step = 0; next && step < LEVELS_UP; next = next.nextElementSibling, step++)
      if (labelOf(next, 0) !== '') return next;
    if (!from.parentNode || nameOf(from.parentNode) === 'BODY' || labelOf(from.parentNode) !== label) return undefined;
    from = from.parentNode;
  }
  return undefined;
}

/** Alpine.js hides an answer by its style only. */
const isShownByScript = (element: HtmlElement): boolean =>
  isConcealed(element) && ['x-show', 'x-collapse'].some((name) => element.getAttribute(name) !== null);

function tabsOf(list: HtmlElement): HtmlElement[] {
  const inside = elementsIn(list);
  const tabs = inside.filter((element) => roleOf(element) === 'tab');
  return tabs.length > 0 ? tabs : [...list.children].filter((element) => labelOf(element) !== '');
}

function targetsOf(trigger: HtmlElement): string[] {
  if (/^(?:INPUT|FORM)$/.test(nameOf(trigger)) || roleOf(trigger) === 'combobox') return [];
  const controlled = attribute(trigger, 'aria-controls');
  if (controlled !== '') return controlled.split(/\s+/);
  const names = isToggle(trigger) ? ['data-bs-target', 'data-target', 'data-tabs-target', 'href'] : [];
  const target = names.map((name) => attribute(trigger, name)).find((value) => value !== '' && value !== '#');
  return target === undefined ? [] : [target.replace(/^#/, '')];
}

function isToggle(element: HtmlElement): boolean {
  return (
    attribute(element, 'aria-expanded') !== '' ||
    roleOf(element) === 'tab' ||
    TOGGLES.test(toggleOf(element)) ||
    (isButton(element) && hasClass(element, QUESTION_CLASS)) ||
    isTabLink(element)
  );
}

/** `<ul class="tabs"><li><a href="#panel">`, also with the roles of a tab list. */
function isTabLink(element: HtmlElement): boolean {
  const list = element.parentNode?.parentNode;
  if (nameOf(element) !== 'A' || !attribute(element, 'href').startsWith('#') || !list) return false;
  return hasClass(list, TAB_LIST_CLASS) || roleOf(list) === 'tablist' || list.getAttribute?.('data-tabs') != null;
}

const toggleOf = (element: HtmlElement): string =>
  attribute(element, 'data-bs-toggle') || attribute(element, 'data-toggle');

const isButton = (element: HtmlElement): boolean => nameOf(element) === 'BUTTON' || roleOf(element) === 'button';

const hasClass = (element: HtmlElement, classes: RegExp): boolean => classes.test(attribute(element, 'class'));

const OUTSIDE_ROLES =
  /^(?:navigation|menu|menubar|menuitem|dialog|alertdialog|search|listbox|option|toolbar|tooltip|banner)$/;
const OUTSIDE_CLASS =
  /(?:^|\s)(?:modal|offcanvas|off-canvas|drawer|lightbox|popover|tooltip|dropdown-menu|mega-?menu|navbar(?:-\w+)*|(?:cookie|consent)[-_]?\w*)(?:$|\s)/i;

/** Not a menu, a dialog, a filter or a form. */
function isContent(trigger: HtmlElement, panel: HtmlElement): boolean {
  const popup = attribute(trigger, 'aria-haspopup').toLowerCase();
  if ((popup !== '' && popup !== 'false') || OTHER_TOGGLES.test(toggleOf(trigger))) return false;
  const around = nameOf(panel) === 'NAV' ? panel.parentNode : panel;
  if (
    /^(?:BODY|MAIN|FORM)$/.test(nameOf(panel)) ||
    !around ||
    closest(around, isOutside) ||
    closest(trigger, isOutside)
  )
    return false;
  if (closest(trigger, (node) => node === panel)) return false;
  return hasProse(panel);
}

function isOutside(node: HtmlElement): boolean {
  const name = nameOf(node);
  if (name === 'HEADER') return !closest(node, (outer) => ['MAIN', 'ARTICLE', 'SECTION'].includes(nameOf(outer)));
  return name === 'NAV' || name === 'DIALOG' || OUTSIDE_ROLES.test(roleOf(node)) || hasClass(node, OUTSIDE_CLASS);
}

const MIN_LINKS = 3;
const LINK_SHARE = 0.7;
const FORM_PROSE = 120;

/** Menus consist of links, filters and searches of form fields. */
function hasProse(panel: HtmlElement): boolean {
  const count = { text: 0, linked: 0, links: 0, fields: 0, options: 0, label: 0 };
  const visit = (node: HtmlNode, isLink: boolean, isLabel: boolean): void => {
    if (node.nodeType === TEXT) {
      const length = (node.nodeValue ?? '').replace(/\s+/g, ' ').trim().length;
      count.text += length;
      if (isLink) count.linked += length;
      if (isLabel) count.label += length;
    }
    const name = nameOf(node);
    if (node.nodeType !== ELEMENT || (SILENT.has(name) && name !== 'BUTTON')) return;
    if (name === 'A') count.links++;
    if (name === 'TEXTAREA' || (name === 'INPUT' && attribute(node, 'type') !== 'hidden')) count.fields++;
    if (name === 'MAIN' || /^(?:menuitem|option)/.test(roleOf(node))) count.options++;
    const isControl = isLabel || /^(?:LABEL|LEGEND|BUTTON)$/.test(name);
    for (const child of node.childNodes) visit(child, isLink || name === 'A', isControl);
  };
  visit(panel, false, false);
  if (count.text === 0 || count.options > 0) return false;
  if (count.links >= MIN_LINKS && count.linked > LINK_SHARE * count.text) return false;
  return count.text - count.label > (count.fields > 0 ? FORM_PROSE : 0);
}

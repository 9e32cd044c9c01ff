import {
  elementsIn,
  headingLevel,
  type HtmlElement,
  type HtmlNode,
  labelOf,
  lineageOf,
  nameOf,
  roleOf,
} from './html-dom.js';

interface Answer {
  question: string;
  /** HTML. */
  text: string;
}

const MAX_DATA_LENGTH = 2_000_000;
const MAX_ANSWERS = 1_000;
const MAX_QUESTION_LENGTH = 300;
const COMPARED = 40;

/**
 * Adds the answers that the page has only as structured data for search engines (FAQPage of schema.org): frameworks build
 * the panel of an accordion when it is opened. An answer is added below its question, otherwise at the end.
 * `parse`: reads the HTML of an answer into an element.
 */
export function addStructuredAnswers(html: string, root: HtmlNode, parse: (html: string) => HtmlElement | null): void {
  const answers = answersIn(html);
  if (answers.length === 0) return;
  const elements = elementsIn(root);
  const body = elements.find((element) => nameOf(element) === 'BODY');
  const shown = compare(wordsOf(root));
  const questions = new Map(elements.filter(mayBeQuestion).map((element) => [compare(labelOf(element)), element]));
  for (const { question, text } of answers) {
    const answer = parse(text);
    const words = answer ? compare(wordsOf(answer)).slice(0, COMPARED) : '';
    if (!answer || words === '' || shown.includes(words)) continue;
    const place = questions.get(compare(question));
    if (place) topOf(place).after(answer);
    else body?.append(headingOf(answer, question), answer);
  }
}

const mayBeQuestion = (element: HtmlElement): boolean =>
  headingLevel(element) > 0 || /^(?:BUTTON|SUMMARY|DT)$/.test(nameOf(element)) || roleOf(element) === 'button';

/** The heading around a button. */
function topOf(element: HtmlElement): HtmlElement {
  let top = element;
  for (const node of lineageOf(element)) if (headingLevel(node) > 0) top = node;
  return top;
}

function headingOf(answer: HtmlElement, question: string): HtmlElement {
  const heading = answer.ownerDocument.createElement('h2');
  heading.append(question);
  return heading;
}

/** All text, hidden or not. */
const wordsOf = (node: HtmlNode): string => node.nodeValue ?? Array.from(node.childNodes, wordsOf).join('');

const compare = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

function answersIn(html: string): Answer[] {
  const found: Answer[] = [];
  if (!html.includes('FAQPage') && !html.includes('acceptedAnswer')) return found;
  for (const { index, 0: tag } of html.matchAll(/<script\b[^>]{0,300}application\/ld\+json[^>]{0,300}>/gi)) {
    const end = html.indexOf('</script', index);
    if (end < 0) break;
    const data = html.slice(index + tag.length, end);
    if (data.length <= MAX_DATA_LENGTH && data.includes('acceptedAnswer')) collect(parsed(data), found);
  }
  return found;
}

/** Undefined for invalid data, which the text of the page does not need. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function collect(data: unknown, found: Answer[], depth = 0): void {
  if (typeof data !== 'object' || data === null || depth > 10 || found.length >= MAX_ANSWERS) return;
  if ('acceptedAnswer' in data && 'name' in data) {
    const answers: unknown[] = [data.acceptedAnswer].flat();
    const text = answers.map(textOf).join('\n');
    if (typeof data.name === 'string' && data.name.length <= MAX_QUESTION_LENGTH && text.trim() !== '')
      found.push({ question: data.name.replace(/<[^>]{0,200}>/g, ''), text });
    return;
  }
  for (const value of Object.values(data)) collect(value, found, depth + 1);
}

const textOf = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'text' in answer && typeof answer.text === 'string'
    ? answer.text
    : '';

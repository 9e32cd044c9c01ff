import type { Block } from '../../blocks.js';
import { DocumentProblem } from '../document-problem.js';
import { attribute, elementsIn, type HtmlElement, type HtmlNode, labelOf, nameOf, roleOf } from './html-dom.js';
import {
  CHALLENGE_MARKS,
  CHALLENGE_TEXT,
  CHALLENGE_TITLE,
  isNotFoundTitle,
  LOADING,
  LOGIN_TITLE,
  NEEDS_JAVASCRIPT,
  REGRETS,
  STATUS_CODE_TOPIC,
} from './html-failure-phrases.js';

/** What distinguishes the content of a page from an error page, a login or an empty application. */
interface PageSigns {
  /** The source, with its scripts. */
  html: string;
  title: string;
  /** All visible text. */
  blocks: Block[];
  /** Characters of the visible text, and of its part outside menus and lists of links. */
  characters: number;
  prose: number;
  /** An element in which an application is started contains nothing. */
  isUnmounted: boolean;
  /** There is a field for a name or a password. */
  hasLogin: boolean;
}

/** Longer pages have content, whatever their title says. */
const ERROR_PROSE = 800;
const LOGIN_PROSE = 400;
const SHELL_CHARACTERS = 200;
/** A page that explains an error has more text than one that reports it. */
const TOPIC_PROSE = 250;
const SEVERAL_SCRIPTS = 3;
const NOSCRIPT_WITHIN = 500_000;

/** Why the text of a page is not its content; undefined for real pages. */
export function pageProblem(signs: PageSigns): DocumentProblem | undefined {
  if (isNotFound(signs)) return new DocumentProblem('PAGE_NOT_FOUND');
  if (isChallenge(signs)) return new DocumentProblem('PAGE_BLOCKS_ROBOTS');
  if (isLogin(signs)) return new DocumentProblem('PAGE_NEEDS_LOGIN');
  if (isShell(signs)) return new DocumentProblem('PAGE_NEEDS_JAVASCRIPT');
  return signs.blocks.length === 0 ? new DocumentProblem('EMPTY', 'The page contains no text.') : undefined;
}

/** The signs that need the document, before hidden parts are removed from it. */
export function formSigns(root: HtmlNode): Pick<PageSigns, 'isUnmounted' | 'hasLogin'> {
  const elements = elementsIn(root);
  return { isUnmounted: elements.some(isUnmounted), hasLogin: elements.some(isLoginField) };
}

const MOUNT_ID =
  /^(?:root|app|application|main-?app|my-?app|web-?app|spa|mount|__next|__nuxt|___gatsby|svelte|(?:react|vue|ember|angular|app|page|site)-?(?:root|app|mount))$/i;

function isUnmounted(element: HtmlElement): boolean {
  if (!MOUNT_ID.test(attribute(element, 'id')) && !/^(?:app|my)-(?:root|app)$/i.test(nameOf(element))) return false;
  const text = labelOf(element, 100);
  return text === '' || LOADING.test(text);
}

function isLoginField(element: HtmlElement): boolean {
  if (nameOf(element) !== 'INPUT') return false;
  const type = attribute(element, 'type').toLowerCase();
  if (type === 'password') return true;
  const name = `${attribute(element, 'name')} ${attribute(element, 'id')} ${attribute(element, 'autocomplete')}`;
  return /^(?:text|email|)$/.test(type) && /user|login|identifier|e-?mail/i.test(name) && roleOf(element) === '';
}

function isNotFound(signs: PageSigns): boolean {
  if (signs.prose > ERROR_PROSE || !titlesOf(signs).some(isNotFoundTitle)) return false;
  return signs.prose < TOPIC_PROSE || !signs.blocks.some((block) => STATUS_CODE_TOPIC.test(textOf(block)));
}

function isChallenge(signs: PageSigns): boolean {
  if (signs.characters < SHELL_CHARACTERS && CHALLENGE_MARKS.test(signs.html)) return true;
  if (signs.prose > ERROR_PROSE) return false;
  if (titlesOf(signs).some((title) => CHALLENGE_TITLE.test(title))) return true;
  return signs.blocks.some((block) => CHALLENGE_TEXT.test(textOf(block)));
}

function isLogin(signs: PageSigns): boolean {
  return signs.hasLogin && signs.prose <= LOGIN_PROSE && titlesOf(signs).some((title) => LOGIN_TITLE.test(title));
}

/** The page builds its text in the browser. */
function isShell(signs: PageSigns): boolean {
  const { html, blocks, characters, prose, isUnmounted } = signs;
  const scripts = html.match(/<script\b/gi)?.length ?? 0;
  if (blocks.length === 0) return scripts > 0;
  if (isUnmounted && prose < SHELL_CHARACTERS) return true;
  if (prose < ERROR_PROSE / 2 && NEEDS_JAVASCRIPT.test(textOf(blocks[0]!))) return true;
  if (characters >= SHELL_CHARACTERS || scripts === 0) return false;
  const noscript = /<noscript\b[^>]{0,200}>([^]{0,2000}?)<\/noscript/i.exec(html.slice(0, NOSCRIPT_WITHIN))?.[1] ?? '';
  if (NEEDS_JAVASCRIPT.test(noscript.replace(/<[^>]*>/g, ' ')) || blocks.every((block) => LOADING.test(textOf(block))))
    return true;
  return scripts >= SEVERAL_SCRIPTS && !blocks.some(isSentence);
}

const isSentence = (block: Block): boolean => {
  const text = textOf(block);
  return block.kind !== 'heading' && /.{12}[.!?。！？।؟]/u.test(text) && !LOADING.test(text);
};

const textOf = (block: Block): string => (block.kind === 'row' ? block.cells.join(' ') : block.text);

const SEPARATORS = /\s+[|–—·•»:/-]+\s+|\s*[|»•]\s*/;
const FIRST_HEADINGS = 3;

/**
 * The title, its parts between separators, the first headings and, on a page of a few words, its first lines; without
 * "Oops!" and final marks.
 */
function titlesOf({ title, blocks, characters }: PageSigns): string[] {
  const headings = blocks.filter(({ kind }) => kind === 'heading').slice(0, FIRST_HEADINGS);
  const lines = characters < SHELL_CHARACTERS ? blocks.slice(0, FIRST_HEADINGS) : [];
  const texts = [title, ...title.split(SEPARATORS), ...[...headings, ...lines].map(textOf)];
  return texts.map((text) =>
    text
      .slice(0, 200)
      .replace(/[’‘`]/g, "'")
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '')
      .replace(REGRETS, ''),
  );
}

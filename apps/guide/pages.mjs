import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { createRenderer, headingsOf, menuOf, sectionsOf, titleOf } from './markdown.mjs';

const { dirname, normalize } = posix;

/**
 * @typedef {{ address: string; title: string }} Entry A page in the menu.
 *
 * @typedef {{ area: string; title: string; entries: Entry[] }} MenuGroup
 *
 * @typedef {{ level: number; id: string; text: string }} Heading
 *
 * @typedef {{ address: string; file: string; source: string; title: string; html: string; headings: Heading[]; sections: string[][] }} Page
 *   `address`: below /guide/. `source`: in the repository.
 *
 * @typedef {{ pages: Page[]; menu: MenuGroup[]; files: { source: string; name: string }[]; diagrams: { name: string; text: string }[] }} Guide
 */

const MAP = 'docs/README.md';
const IMAGE = /\.(?:png|svg|jpe?g)$/;

/**
 * The address of a page below /guide/: docs is the root, and README.md the index of its folder.
 *
 * @param {string} source
 */
export function addressOf(source) {
  if (source === 'README.md') return 'introduction';
  const isAtRoot = !source.includes('/');
  const path = (isAtRoot ? source.toLowerCase() : source).replace(/^docs\//, '').replace(/\.md$/, '');
  return path.replace(/(^|\/)README$/, '$1');
}

/** @param {string} address */
const fileOf = (address) => (address === '' || address.endsWith('/') ? `${address}index.html` : `${address}.html`);

/**
 * A relative address, so that the guide works behind a proxy with a path prefix.
 *
 * @param {string} from The address of a page.
 * @param {string} to
 */
export const relativeAddress = (from, to) => '../'.repeat(from.split('/').length - 1) + to || './';

/**
 * Reads all pages of docs and, from link to link, the pages, folders and files of the repository that they lead to. Throws with all links that
 * lead nowhere.
 *
 * @param {string} root The repository.
 * @returns {Guide}
 */
export function readGuide(root) {
  const sources = new Set(
    readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  );
  const files = new Map();
  const broken = [];
  const anchors = [];
  const renderer = createRenderer();
  const resolve = (page, link) => {
    const [path = '', anchor] = link.split('#');
    const target =
      path === '' ? page : normalize(posix.join(dirname(page), decodeURIComponent(path))).replace(/\/$/, '');
    if (!existsSync(join(root, target))) {
      broken.push(`${page} -> ${link}`);
      return link;
    }
    const to = addressIn(root, target, sources, files);
    if (anchor !== undefined) anchors.push({ page, link, to, anchor });
    return relativeAddress(addressOf(page), to) + (anchor === undefined ? '' : `#${anchor}`);
  };
  const pages = [];
  // A set that grows while it is walked: pages that are only linked follow.
  for (const source of sources) {
    const text = source.endsWith('.md') ? readFileSync(join(root, source), 'utf8') : listing(root, source);
    // The entries of a listing are relative to the folder.
    const base = source.endsWith('.md') ? source : `${source}/README.md`;
    const tokens = renderer.parse(text, (link) => resolve(base, link));
    pages.push({ source, base, address: addressOf(base), tokens });
  }
  const ids = new Map(pages.map(({ address, tokens }) => [address, new Set(tokens.map(({ meta }) => meta?.id))]));
  for (const { page, link, to, anchor } of anchors) if (!ids.get(to)?.has(anchor)) broken.push(`${page} -> ${link}`);
  if (broken.length > 0) throw new Error(`Links of the documentation lead nowhere:\n  ${broken.join('\n  ')}`);
  const diagrams = [];
  const rendered = pages.map(({ source, address, tokens }) => {
    const toRoot = (name) => relativeAddress(address, name);
    const html = renderer.render(tokens, { toRoot, diagrams });
    const title = titleOf(tokens);
    const headings = headingsOf(tokens);
    return { address, file: fileOf(address), source, title, html, headings, sections: sectionsOf(address, tokens) };
  });
  const map = pages.find(({ source }) => source === MAP);
  return {
    pages: unique(rendered),
    menu: menuOf(map.tokens),
    files: [...files].map(([source, name]) => ({ source, name })),
    diagrams,
  };
}

function addressIn(root, target, sources, files) {
  if (statSync(join(root, target)).isDirectory()) {
    const index = `${target}/README.md`;
    sources.add(existsSync(join(root, index)) ? index : target);
    return addressOf(index);
  }
  if (target.endsWith('.md')) {
    sources.add(target);
    return addressOf(target);
  }
  // As text, so that a browser shows it and does not store it.
  const name = IMAGE.test(target) ? `files/${target}` : `files/${target}.txt`;
  files.set(target, name);
  return name;
}

/** A page for a folder without README.md. */
function listing(root, folder) {
  const names = readdirSync(join(root, folder)).toSorted();
  const shown = names.map((name) => {
    const [, title] = name.endsWith('.md')
      ? (/^# (.*)$/m.exec(readFileSync(join(root, folder, name), 'utf8')) ?? [])
      : [];
    return `- [${title ?? name}](${name})`;
  });
  const title = folder.split('/').at(-1) ?? folder;
  return `# ${title[0]?.toUpperCase()}${title.slice(1)}\n\n\`${folder}\` of the repository.\n\n${shown.join('\n')}\n`;
}

/** @param {Page[]} pages */
function unique(pages) {
  const known = new Map();
  for (const page of pages) {
    const other = known.get(page.address);
    if (other !== undefined) throw new Error(`${page.source} and ${other} have the same address, ${page.address}.`);
    known.set(page.address, page.source);
  }
  return pages;
}

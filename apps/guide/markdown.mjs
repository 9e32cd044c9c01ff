import { renderMermaidSVG } from 'beautiful-mermaid';
import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';

/** @import { Token } from 'markdown-it' */

/** Colours of diagrams, those of the console. */
const LIGHT = { bg: '#ffffff', fg: '#17202b', line: '#56616f', accent: '#0f6b66', muted: '#56616f', border: '#8993a1' };
const DARK = { bg: '#161c23', fg: '#e7ecf1', line: '#9ba8b6', accent: '#5cc9bf', muted: '#9ba8b6', border: '#64717f' };

/** Markdown as HTML without inline styles and scripts, with the anchors of GitHub. */
export function createRenderer() {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  rules.fence = (tokens, index, _options, env) => codeBlock(tokens[index], env);
  rules.code_block = (tokens, index) => `<pre class="code"><code>${escapeHtml(tokens[index].content)}</code></pre>\n`;
  // Wide tables scroll by themselves, by keyboard as well.
  rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.heading_close = (tokens, index) => {
    const { id, text } = tokens[index - 2].meta;
    const label = escapeHtml(`Link to "${text}"`);
    return `<a class="anchor" href="#${id}" aria-label="${label}">#</a></${tokens[index].tag}>\n`;
  };
  return {
    /**
     * @param {string} text
     * @param {(link: string) => string} resolve The address of a link within the repository.
     * @returns {Token[]}
     */
    parse(text, resolve) {
      const tokens = markdown.parse(text, {});
      giveHeadingsIds(tokens);
      for (const token of tokens) {
        alignByClass(token);
        for (const child of token.children ?? []) redirect(child, resolve);
      }
      return tokens;
    },
    /**
     * @param {Token[]} tokens
     * @param {{ toRoot: (name: string) => string; diagrams: { name: string; text: string }[] }} env
     */
    render: (tokens, env) => markdown.renderer.render(tokens, markdown.options, env),
  };
}

/** Ids of headings as GitHub generates them, with a number where a heading is repeated. */
function giveHeadingsIds(tokens) {
  const seen = new Map();
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const text = plainText(tokens[index + 1]);
    const slug = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    const id = count === 0 ? slug : `${slug}-${count}`;
    token.attrSet('id', id);
    token.meta = { id, text, level: Number(token.tag.slice(1)) };
  });
}

/** The policy of the page allows no style attributes. */
function alignByClass(token) {
  const style = token.attrGet('style');
  if (style === null) return;
  token.attrs = token.attrs.filter(([name]) => name !== 'style');
  token.attrJoin('class', style.replace('text-align:', 'align-'));
}

function redirect(token, resolve) {
  const name = { link_open: 'href', image: 'src' }[token.type];
  const link = name && token.attrGet(name);
  if (!link) return;
  if (/^[a-z]+:/.test(link)) token.attrSet('rel', 'noopener noreferrer');
  else token.attrSet(name, resolve(link));
  if (token.type === 'image') token.attrSet('loading', 'lazy');
}

/** @param {string} text */
export const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

function codeBlock({ info, content }, { toRoot, diagrams }) {
  const [language = '', title] = info.trim().split(/\s+/);
  if (language === 'mermaid') return diagram(content, toRoot, diagrams);
  const code = hljs.getLanguage(language) ? hljs.highlight(content, { language }).value : escapeHtml(content);
  const name = language === 'text' && title !== undefined ? `Output of ${title}` : title;
  const caption = name === undefined ? '' : `<figcaption>${escapeHtml(name)}</figcaption>`;
  return `<figure class="block">${caption}<pre class="code" tabindex="0"><code>${code}</code></pre></figure>\n`;
}

/** Two images, one for each theme, and the text that they were made from. */
function diagram(content, toRoot, diagrams) {
  const [light, dark] = [LIGHT, DARK].map((colors, index) => {
    const name = `files/diagram-${Math.floor(diagrams.length / 2) + 1}-${index === 0 ? 'light' : 'dark'}.svg`;
    const text = renderMermaidSVG(content, { ...colors, font: 'Arial', padding: 16 });
    // The fonts of the machine are used.
    diagrams.push({ name, text: text.replace(/@import url\([^)]*\);?/g, '') });
    return toRoot(name);
  });
  return `<figure class="diagram"><picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="The diagram that the following text describes"></picture>
<details><summary>The diagram as text</summary><pre class="code" tabindex="0"><code>${escapeHtml(content)}</code></pre></details></figure>\n`;
}

/** The words of an inline token, without markup. */
const plainText = ({ children }) =>
  (children ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' ';
      return type === 'text' || type === 'code_inline' ? content : '';
    })
    .join('');

export const titleOf = (tokens) => tokens.find(({ type }) => type === 'heading_open')?.meta.text ?? '';

export const headingsOf = (tokens) =>
  tokens
    .filter(({ type, meta }) => type === 'heading_open' && meta.level > 1 && meta.level < 4)
    .map(({ meta }) => meta);

/**
 * The sections of a page for the search: address, title of the page, heading, text.
 *
 * @returns {string[][]}
 */
export function sectionsOf(address, tokens) {
  const title = titleOf(tokens);
  const sections = [];
  let current = { id: '', heading: title, texts: [] };
  const keep = () => {
    const text = current.texts.join(' ').replace(/\s+/g, ' ').trim();
    const at = current.id === '' ? address : `${address}#${current.id}`;
    if (text !== '' || current.id === '') sections.push([at, title, current.heading, text]);
  };
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      if (token.meta.level === 1) return;
      keep();
      current = { id: token.meta.id, heading: token.meta.text, texts: [] };
    } else if (token.type === 'fence') current.texts.push(token.content);
    else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open')
      current.texts.push(plainText(token));
  });
  keep();
  return sections;
}

/** The menu: the tables of docs/README.md. Its first column lists the pages of a row; the second may list further ones. */
export function menuOf(tokens) {
  const groups = [];
  const seen = new Set();
  let area = '';
  let cell = 0;
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open' && token.meta.level === 2) {
      area = token.meta.text;
      groups.push({ area, title: area, entries: [] });
    }
    if (token.type === 'heading_open' && token.meta.level === 3)
      groups.push({ area, title: token.meta.text, entries: [] });
    if (token.type === 'tr_open') cell = 0;
    if (token.type === 'td_open') cell += 1;
    if (token.type !== 'inline' || tokens[index - 1]?.type !== 'td_open') return;
    for (const { address, title } of linksOf(token)) {
      if (seen.has(address) || address.includes('#') || address.startsWith('files/')) continue;
      // A link among the words about another page is not an entry of its own.
      if (cell > 1 && !address.startsWith('integrate/')) continue;
      seen.add(address);
      groups.at(-1)?.entries.push({ address, title });
    }
  });
  return groups.filter(({ entries }) => entries.length > 0);
}

/** The links of the map, which is at the root: their addresses are those below /guide/. */
function linksOf({ children }) {
  const links = [];
  (children ?? []).forEach((token, index) => {
    if (token.type !== 'link_open') return;
    const [, words] = [token, children[index + 1]];
    const title = `${words.content[0]?.toUpperCase()}${words.content.slice(1)}`;
    links.push({ address: token.attrGet('href').replace(/^\.\//, ''), title });
  });
  return links;
}

import { escapeHtml } from './markdown.mjs';
import { relativeAddress } from './pages.mjs';

/** @import { Entry, MenuGroup, Page } from './pages.mjs' */

/**
 * The HTML of a page.
 *
 * @param {Page} page
 * @param {{ menu: MenuGroup[]; order: Entry[]; version: string }} site
 */
export function pageOf(page, { menu, order, version }) {
  const to = (address) => relativeAddress(page.address, address);
  const current = currentEntry(page.address, order);
  return whole({
    title: page.address === '' ? 'Trunkline guide' : `${page.title} · Trunkline guide`,
    root: to(''),
    menu: menuHtml(menu, to, { current, isExact: current === page.address }),
    content: `<article>${page.html}</article>${neighbours(page.address, order, to)}`,
    contents: contentsOf(page.headings),
    footer: `Trunkline ${version} · <code>${escapeHtml(page.source)}</code>`,
  });
}

/** In the page for addresses that do not exist, the api replaces it by the way to the root of the guide. */
const ROOT = '{{root}}';

/** @param {{ menu: MenuGroup[]; version: string }} site */
export function notFoundPage({ menu, version }) {
  const to = (address) => `${ROOT}${address}`;
  return whole({
    title: 'Page not found · Trunkline guide',
    root: ROOT,
    menu: menuHtml(menu, to, { current: undefined, isExact: false }),
    content: `<article><h1>Page not found</h1><p>The guide has no page at this address. Search for it above, or begin with <a href="${ROOT}">all pages</a>.</p></article>`,
    contents: '',
    footer: `Trunkline ${version}`,
  });
}

/** The entry of a page, or the one of its folder. */
function currentEntry(address, order) {
  const addresses = order.map((entry) => entry.address);
  if (addresses.includes(address)) return address;
  return addresses.find((one) => one.endsWith('/') && address.startsWith(one));
}

function menuHtml(menu, to, { current, isExact }) {
  const parts = [];
  let area = '';
  for (const group of menu) {
    if (group.area !== area) parts.push(`<h2>${escapeHtml(group.area)}</h2>`);
    ({ area } = group);
    const items = group.entries.map(({ address, title }) => {
      const mark = address === current ? ` aria-current="${isExact ? 'page' : 'true'}"` : '';
      return `<li><a href="${to(address)}"${mark}>${escapeHtml(title)}</a></li>`;
    });
    const isOpen = group.entries.some(({ address }) => address === current) || group.title === area;
    const list = `<ul>${items.join('')}</ul>`;
    parts.push(
      group.title === area
        ? list
        : `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(group.title)}</summary>${list}</details>`,
    );
  }
  return parts.join('\n');
}

function neighbours(address, order, to) {
  const index = order.findIndex((entry) => entry.address === address);
  if (index < 0) return '';
  const link = (entry, rel, word) =>
    entry ? `<a rel="${rel}" href="${to(entry.address)}"><span>${word}</span> ${escapeHtml(entry.title)}</a>` : '';
  return `<nav class="neighbours" aria-label="Next pages">${link(order[index - 1], 'prev', 'Previous')}${link(order[index + 1], 'next', 'Next')}</nav>`;
}

function contentsOf(headings) {
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

/** Without scripts the page has no search, and on small screens its menu at the end. */
const whole = ({ title, root, menu, content, contents, footer }) => `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}guide.css">
<script type="module" src="${root}guide.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button class="menu-button" type="button" aria-expanded="false" aria-controls="menu" hidden>Menu</button>
<a class="brand" href="${root}">Trunkline <span>guide</span></a>
<search class="search" hidden><input type="search" placeholder="Search" aria-label="Search the guide" aria-keyshortcuts="/" autocomplete="off" spellcheck="false"><div class="results" hidden><p role="status"></p><ul></ul></div></search>
</header>
<div class="frame">
<nav id="menu" class="menu" aria-label="Pages">${menu}</nav>
<main id="content" tabindex="-1">${content}<footer>${footer}</footer></main>
${contents}
</div>
</body>
</html>
`;

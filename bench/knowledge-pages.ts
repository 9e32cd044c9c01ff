/** A page with a typical layout around known paragraphs. */
export interface MadePage {
  html: string;
  /** The content of the page. */
  text: string;
}

type Layout = (title: string, paragraphs: string[]) => string;

const links = (count: number, word: string): string =>
  Array.from({ length: count }, (_, n) => `<li><a href="/${word}/${n}">${word} ${n}</a></li>`).join('');
const inP = (paragraphs: string[]): string => paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n');
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const page = (title: string, body: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${escape(title)} | The Site</title>
<style>body{margin:0}</style><script>window.data=${JSON.stringify('x '.repeat(2_000))}</script></head><body>${body}</body></html>`;

const LAYOUTS: Layout[] = [
  (title, paragraphs) =>
    page(
      title,
      `<header><nav><ul>${links(12, 'menu')}</ul></nav></header><main><article><h1>${escape(title)}</h1>${inP(paragraphs)}
</article></main><aside><h3>Related</h3><ul>${links(20, 'related')}</ul></aside><footer>Imprint, privacy, cookies</footer>`,
    ),
  (title, paragraphs) =>
    page(
      title,
      `<div class="top"><div class="menu">${links(15, 'section')}</div></div><div class="wrap"><div class="content"><h1>${escape(title)}</h1>
<div class="text">${inP(paragraphs)}</div></div><div class="sidebar">${links(25, 'teaser')}</div></div><div class="footer">${links(10, 'legal')}</div>`,
    ),
  (title, paragraphs) =>
    page(
      title,
      `<div id="cookie-banner" class="cookie popup">We use cookies to improve your experience. Accept all or manage them.</div>
<div class="post"><h1>${escape(title)}</h1><div class="share">Share Tweet Mail</div><div class="entry-content">${inP(paragraphs)}</div></div>
<div class="comments"><h3>Comments</h3>${'<div class="comment">Great post, thanks!</div>'.repeat(8)}</div>`,
    ),
  (title, paragraphs) =>
    page(
      title,
      `<table><tr><td class="nav" width="150"><ul>${links(14, 'link')}</ul></td><td><h1>${escape(title)}</h1>${inP(paragraphs)}</td></tr></table>`,
    ),
  (title, paragraphs) =>
    page(
      title,
      `<div class="nav">${links(60, 'department')}</div><div class="page-content"><h1>${escape(title)}</h1><div class="text">${inP(paragraphs.slice(0, 2))}</div>
<div class="tabs">${paragraphs.slice(2).map(tabPanel).join('')}</div></div><div class="comments">${'<div class="comment"><p>I have waited for this for years, and it was worth it.</p></div>'.repeat(80)}</div>`,
    ),
];

/** Hidden until its button, which shows a sign only, is pressed. */
const tabPanel = (text: string, index: number): string =>
  `<button aria-expanded="false" aria-controls="part-${index}">+</button><div id="part-${index}" hidden><p>${escape(text)}</p></div>`;

/** One page per article and layout. */
export function pagesOf(articles: { title: string; paragraphs: string[] }[]): MadePage[] {
  return articles.flatMap(({ title, paragraphs }) =>
    LAYOUTS.map((layout) => ({ html: layout(title, paragraphs), text: [title, ...paragraphs].join('\n') })),
  );
}

/** The text after removing all tags. */
export function stripText(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

/** F1 over the words of both texts, with multiplicity. */
export function wordF1(found: string, expected: string): number {
  const [mine, theirs] = [wordCounts(found), wordCounts(expected)];
  let common = 0;
  for (const [word, count] of mine) common += Math.min(count, theirs.get(word) ?? 0);
  const total = sum(mine) + sum(theirs);
  return total === 0 ? 1 : (2 * common) / total;
}

function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const words =
    text.normalize('NFC').match(/[\p{Script=Han}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Thai}]+/gu) ?? [];
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);

import { Parser } from 'htmlparser2';

/** A page with more text is a page that refreshes itself or goes on later, such as a slide show. */
const MAX_TEXT = 200;
const MAX_SECONDS = 30;
/** HTML living standard, 4.2.5.3, shared declarative refresh steps. */
const REFRESH = /^\s*(\d{1,9})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(["']?)(.+?)\2\s*$/is;
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title']);

/**
 * The page to which a page without text of its own leads by `<meta http-equiv="refresh">`. Never from https to http, like redirects;
 * one inside of `noscript` is for other browsers.
 */
export function refreshTarget(html: string, from: URL): URL | undefined {
  if (!/http-equiv/i.test(html)) return undefined;
  let content: string | undefined;
  let characters = 0;
  let silent = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (SILENT.has(name)) silent++;
      const isRefresh = name === 'meta' && attributes['http-equiv']?.trim().toLowerCase() === 'refresh';
      if (isRefresh && silent === 0) content ??= attributes['content'];
    },
    ontext(text) {
      if (silent === 0) characters += text.trim().length;
    },
    onclosetag(name) {
      if (SILENT.has(name)) silent--;
    },
  });
  parser.end(html);
  const [, seconds = '', , address = ''] = REFRESH.exec(content ?? '') ?? [];
  if (address === '' || Number(seconds) > MAX_SECONDS || characters > MAX_TEXT) return undefined;
  if (!URL.canParse(address, from.href)) return undefined;
  const target = new URL(address, from.href);
  const isAllowed = target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:');
  target.hash = '';
  const here = new URL(from.href);
  here.hash = '';
  return isAllowed && target.href !== here.href ? target : undefined;
}

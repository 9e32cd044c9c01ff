import { cleanLine } from '../block-writer.js';
import { type DecodedText, decodeText } from '@app/common/text-files';

/** Void elements and elements with optional end tags. */
const VOID =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|path|p|li|td|tr|th|option|dd|dt)$/i;
const META_WITHIN = 4096;

/** Decodes a page: byte order mark first, then the charset of the Content-Type, then the page's declaration. */
export function decodeHtml(bytes: Uint8Array, charset: string | undefined): DecodedText {
  const head = Buffer.from(bytes.subarray(0, META_WITHIN)).toString('latin1');
  const meta = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:-]{1,40})/i.exec(head)?.[1];
  return decodeText(bytes, [charset, meta]);
}

/** Maximum number of elements open at a time, estimated without a parser. */
export function depthOf(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (VOID.test(name)) continue;
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Longer tags are hostile: their attributes are searched one by one. */
const MAX_TAG_LENGTH = 20_000;

/** Removes comments, scripts, styles and drawings, and the attributes of overlong tags. */
export function withoutNoise(html: string): string {
  const visible = withoutElements(html);
  let cut = '';
  let from = 0;
  for (const { index, 0: tag } of visible.matchAll(/<[a-z][^<>]*>?/gi)) {
    if (tag.length <= MAX_TAG_LENGTH) continue;
    cut += `${visible.slice(from, index)}${/^<[a-z0-9]{1,20}/i.exec(tag)?.[0] ?? '<x'}>`;
    from = index + tag.length;
  }
  return cut + visible.slice(from);
}

/**
 * Removes elements from `<script` to `</script>`. A missing end tag is searched only once, so that a million open
 * tags take linear time. The template of a declarative shadow root is text that a visitor sees: it becomes an element `shadow-root`.
 */
function withoutElements(html: string): string {
  const kept: string[] = [];
  const opening = /<!--|<(script|style|noscript|template|svg|iframe|object|select|canvas)\b|<\/template\s*>/gi;
  const missing = new Set<string>();
  let shadows = 0;
  let from = 0;
  for (let found = opening.exec(html); found; found = opening.exec(html)) {
    const [tag, name] = found;
    const shadow =
      name === undefined
        ? undefined
        : SHADOW_TAG.exec(html.slice(found.index, found.index + MAX_SHADOW_TAG_LENGTH))?.[0];
    const isShadowEnd = tag.startsWith('</');
    if (isShadowEnd && shadows === 0) continue;
    const close = name === undefined ? '-->' : `</${name.toLowerCase()}`;
    const end = isShadowEnd
      ? opening.lastIndex
      : shadow === undefined
        ? endAfter(html, close, opening.lastIndex, missing)
        : found.index + shadow.length;
    if (shadow !== undefined) shadows++;
    if (isShadowEnd) shadows--;
    kept.push(
      html.slice(from, found.index),
      shadow === undefined ? (isShadowEnd ? '</shadow-root>' : ' ') : '<shadow-root>',
    );
    from = end;
    opening.lastIndex = end;
  }
  return kept.join('') + html.slice(from);
}

const MAX_SHADOW_TAG_LENGTH = 500;
const SHADOW_TAG = /^<template\b[^>]*\sshadowroot(?:mode)?\s*=\s*["']?(?:open|closed)\b[^>]*>/i;

/** The position after the end tag. Without one, a script, a style or a comment extends to the end, as in a browser. */
function endAfter(html: string, close: string, from: number, missing: Set<string>): number {
  if (!missing.has(close)) {
    const mark = new RegExp(close === '-->' ? close : `${close}[^>]{0,100}>`, 'gi');
    mark.lastIndex = from;
    if (mark.exec(html)) return mark.lastIndex;
    missing.add(close);
  }
  if (/script|style|--/.test(close.replace('noscript', ''))) return html.length;
  const next = html.indexOf('>', from);
  return next < 0 ? html.length : next + 1;
}

/** The text of a page that is too deep for the parser, block by block. */
export function* stripLines(html: string): Generator<string> {
  const block =
    /<\/?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|title|blockquote|pre|td|th)\b[^<>]*>/gi;
  for (const piece of html.split(block)) {
    const text = piece.replace(/<[^<>]*>?/g, ' ').trim();
    if (text !== '') yield unescape(text);
  }
}

function unescape(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|nbsp|apos)|#(\d{1,6})|#x([0-9a-f]{1,5}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', apos: "'" };

/** The text of the title element, empty without one. */
export function titleOf(source: string): string {
  const [line = ''] = stripLines(/<title\b[^<>]*>([^<]{0,1000})/i.exec(source)?.[1] ?? '');
  return cleanLine(line);
}

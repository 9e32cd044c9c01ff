#!/usr/bin/env node
// Verifies the question set. Usage: node check.mjs   (exit code 1 when there are problems)
// Prints ids and words only, never the questions, so that it can be run without reading the held-out half.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const KINDS = ['policies', 'manuals', 'price-lists', 'faqs', 'forms'];
const problems = [];
const notes = [];
const problem = (text) => problems.push(text);

// Function words (pronouns, articles, prepositions, conjunctions, auxiliaries, question words,
// quantifiers, number words, interjections). Everything else counts as a content word.
const FUNCTION_WORDS = new Set(
  `
a an the this that these those some any each every either neither both all half other others another such same no none one ones two three
i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its itself they them their
theirs themselves somebody someone something anybody anyone anything nobody nothing everybody everyone everything
who whom whose which what when where why how whether whoever whatever
am is are was were be been being do does did doing done have has had having can could may might must shall should will would ought
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't mustn't shouldn't won't wouldn't
i'm i've i'd i'll we're we've we'd we'll you're you've you'd you'll he's he'd he'll she's she'd it's they're they've they'd they'll that's there's what's who's where's how's
of in on at by to from for with without within into onto out off over under up down through across along around about against between
beside besides before after since until till during beyond behind above below than as like via per upon near
and or but nor so if because although though while unless once
not very too also just only even then there here now again as-well much many more most less least few enough
yes um uh well really nevertheless otherwise instead else ever never
`
    .trim()
    .split(/\s+/),
);

const words = (text) =>
  text
    .toLowerCase()
    .replace(/[’]/g, "'")
    .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)*/gu) ?? [];
const isFunction = (w) => FUNCTION_WORDS.has(w) || /^\d+$/.test(w);
const bare = (w) => w.replace(/'(s|re|ve|d|ll|m|t)$/, '');
const stem = (w) => {
  let s = bare(w);
  for (const end of ['ing', 'ly', 'ed', 'es', 's']) {
    if (s.endsWith(end) && s.length - end.length >= 3) {
      s = s.slice(0, -end.length);
      break;
    }
  }
  return s.replace(/(.)\1$/, '$1').replace(/e$/, '');
};
const contentWords = (text, min) =>
  words(text)
    .filter((w) => !isFunction(w))
    .map(bare)
    .filter((w) => w.length >= min && !isFunction(w));
// Same stem, or one stem is the beginning of the other (cancel/cancellation), for stems of five letters or more.
const related = (a, b) => a === b || (Math.min(a.length, b.length) >= 5 && (a.startsWith(b) || b.startsWith(a)));
const overlap = (question, text, min) => {
  const there = [...new Set(contentWords(text, min).map(stem))];
  return [...new Set(contentWords(question, min))].filter((w) => there.some((t) => related(stem(w), t)));
};

// ---- documents
const documents = new Map();
for (const kind of KINDS) {
  const names = readdirSync(join(root, 'documents', kind)).filter((n) => n.endsWith('.md'));
  if (names.length < 6) problem(`documents/${kind}: only ${names.length} documents`);
  for (const name of names) {
    const text = readFileSync(join(root, 'documents', kind, name), 'utf8');
    const count = text.split(/\s+/).filter((t) => /[\p{L}\p{N}]/u.test(t)).length;
    if (count > 1600 || count < (kind === 'price-lists' ? 300 : 600))
      problem(`documents/${kind}/${name}: ${count} words`);
    if (kind === 'price-lists' && !/^\|.*\|$/m.test(text)) problem(`documents/${kind}/${name}: no table`);
    documents.set(`${kind}/${name}`, { text, count });
  }
}

const occurrences = (text, part) => text.split(part).length - 1;
const blockOf = (text, at) => {
  const start = text.lastIndexOf('\n\n', at);
  const end = text.indexOf('\n\n', at);
  return text.slice(start < 0 ? 0 : start + 2, end < 0 ? text.length : end);
};
// Nearest Markdown heading above; in FAQs written with bold questions, the bold line directly above as well.
const headingOf = (text, at) => {
  const above = text.slice(0, at).split('\n');
  for (let i = above.length - 1; i >= 0; i--) if (/^(>\s*)?#+ /.test(above[i])) return above[i].replace(/^[>#\s]+/, '');
  return '';
};
// Nearest heading of the first or second level.
const chapterOf = (text, at) =>
  text
    .slice(0, at)
    .split('\n')
    .filter((l) => /^(>\s*)?#{1,2} /.test(l))
    .pop() ?? '';
const boldAbove = (text, at) => {
  const start = text.lastIndexOf('\n\n', at);
  const line = start < 0 ? '' : text.slice(0, start).split('\n').pop();
  return /^\*\*.+\*\*$/.test(line) ? line : '';
};

// ---- questions
const read = (name) => {
  const lines = readFileSync(join(root, 'questions', name), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines
    .map((line, i) => {
      try {
        return JSON.parse(line);
      } catch {
        problem(`${name}:${i + 1}: not JSON`);
        return null;
      }
    })
    .filter(Boolean);
};
const files = {
  'tuning.jsonl': read('tuning.jsonl'),
  'held-out.jsonl': read('held-out.jsonl'),
  'article-numbers.jsonl': read('article-numbers.jsonl'),
  'rows-by-attribute.jsonl': read('rows-by-attribute.jsonl'),
};
const ids = new Set();
const seen = new Map();
const sections = new Map();
const chapters = new Map();
for (const [file, list] of Object.entries(files)) {
  const main = file === 'tuning.jsonl' || file === 'held-out.jsonl';
  for (const q of list) {
    if (ids.has(q.id)) problem(`${q.id}: id used twice`);
    ids.add(q.id);
    for (const key of ['id', 'kind', 'document', 'question', 'answer', 'style'])
      if (!q[key]) problem(`${q.id}: ${key} missing`);
    if (!KINDS.includes(q.kind) || !q.document.startsWith(`${q.kind}/`)) problem(`${q.id}: kind and document disagree`);
    if (!['spoken', 'typed'].includes(q.style)) problem(`${q.id}: style ${q.style}`);
    const same = words(q.question).join(' ');
    if (seen.has(same)) problem(`${q.id}: same question as ${seen.get(same)}`);
    seen.set(same, q.id);
    const doc = documents.get(q.document);
    if (!doc) {
      problem(`${q.id}: no document ${q.document}`);
      continue;
    }
    const n = occurrences(doc.text, q.answer);
    if (n !== 1) {
      problem(`${q.id}: answer occurs ${n} times in ${q.document}: ${q.answer}`);
      continue;
    }
    if (q.style === 'spoken' && main && /[^\p{Ll}\p{N}' ]/u.test(q.question))
      problem(`${q.id}: spoken, but with capitals or punctuation`);
    if (q.style === 'typed' && !/[.?!]$/.test(q.question))
      problem(`${q.id}: typed, but without punctuation at the end`);
    if (file === 'rows-by-attribute.jsonl' && !/^\|.*\|$/.test(q.answer)) problem(`${q.id}: answer is no table row`);
    if (file === 'article-numbers.jsonl') {
      const tokens = q.question.match(/[A-Z0-9][A-Z0-9/-]*\d[A-Z0-9/-]*|[A-Z]+-[A-Z0-9/-]+/g) ?? [];
      if (!tokens.some((t) => q.answer.includes(t)))
        problem(`${q.id}: no article number of the question in the answer`);
    }
    if (!main) continue;
    const length = q.answer.split(/\s+/).filter((w) => w !== '|').length;
    if (length < 3 || length > 12) problem(`${q.id}: answer of ${length} words`);
    const at = doc.text.indexOf(q.answer);
    const block = blockOf(doc.text, at);
    const shared = overlap(q.question, block, 3);
    if (shared.length) problem(`${q.id}: shares with its passage: ${shared.join(', ')}`);
    const heading = headingOf(doc.text, at);
    const inHeading = overlap(q.question, `${heading} ${boldAbove(doc.text, at)}`, 3);
    if (inHeading.length) notes.push(`${q.id}: shares with its heading: ${inHeading.join(', ')}`);
    const section = `${q.document}#${heading}`;
    if (!sections.has(section)) sections.set(section, new Set());
    sections.get(section).add(file);
    const upper = `${q.document}#${chapterOf(doc.text, at)}`;
    if (!chapters.has(upper)) chapters.set(upper, new Set());
    chapters.get(upper).add(file);
  }
}

// ---- counts
const per = (list, kind) => list.filter((q) => q.kind === kind).length;
const T = files['tuning.jsonl'];
const H = files['held-out.jsonl'];
if (T.length < 110) problem(`tuning: only ${T.length}`);
if (H.length < 110) problem(`held-out: only ${H.length}`);
for (const kind of KINDS) {
  if (per(T, kind) + per(H, kind) < 44) problem(`${kind}: only ${per(T, kind) + per(H, kind)} questions`);
  if (Math.abs(per(T, kind) - per(H, kind)) > 1) problem(`${kind}: not evenly split`);
}
for (const doc of documents.keys())
  if (!T.some((q) => q.document === doc) || !H.some((q) => q.document === doc))
    problem(`${doc}: not asked in both halves`);
if (files['article-numbers.jsonl'].length !== 30) problem(`article-numbers: ${files['article-numbers.jsonl'].length}`);
if (files['rows-by-attribute.jsonl'].length !== 40)
  problem(`rows-by-attribute: ${files['rows-by-attribute.jsonl'].length}`);
for (const [name, list] of [
  ['tuning', T],
  ['held-out', H],
]) {
  const spoken = list.filter((q) => q.style === 'spoken').length / list.length;
  if (spoken < 0.6 || spoken > 0.8) problem(`${String(name)}: ${Math.round(spoken * 100)} % spoken`);
}

// ---- report
for (const line of problems) console.log(`PROBLEM ${line}`);
if (process.argv.includes('--notes')) for (const line of notes) console.log(`note    ${line}`);
const total = [...documents.values()].reduce((sum, d) => sum + d.count, 0);
console.log(
  `documents: ${documents.size} (${total} words, ${KINDS.map((k) => `${k} ${[...documents.keys()].filter((d) => d.startsWith(`${k}/`)).length}`).join(', ')})`,
);
for (const kind of KINDS)
  console.log(
    `${kind.padEnd(12)} tuning ${String(per(T, kind)).padStart(3)}  held-out ${String(per(H, kind)).padStart(3)}`,
  );
const share = (list) =>
  `${list.length} (${Math.round((100 * list.filter((q) => q.style === 'spoken').length) / list.length)} % spoken)`;
console.log(`${'all'.padEnd(12)} tuning ${share(T)}  held-out ${share(H)}`);
const once = (map) => [...map.values()].filter((s) => s.size === 1).length;
console.log(`sections asked (headings of levels 1-2): ${chapters.size}, in one half only: ${once(chapters)}`);
console.log(`sections asked (headings of any level):  ${sections.size}, in one half only: ${once(sections)}`);
console.log(
  `article-numbers ${files['article-numbers.jsonl'].length}, rows-by-attribute ${files['rows-by-attribute.jsonl'].length}`,
);
console.log(`headings that share a word with their question: ${notes.length} (list with --notes)`);
console.log(problems.length ? `${problems.length} problems` : 'no problems');
process.exit(problems.length ? 1 : 0);

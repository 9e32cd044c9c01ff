import type { PhonemeName } from './phonemes.js';
import { EXCEPTIONS } from './exceptions.js';
import { SPELLING_RULES } from './spelling-rules.js';

interface Rule {
  letters: string;
  left: RegExp;
  right: RegExp;
  phonemes: PhonemeName[];
}

const CLASSES: Record<string, string> = {
  V: '[aeiouy]',
  C: '[^aeiouy]',
  F: '[eiy]',
  '*': '[^aeiouy]*',
  S: '(?:e|ed|er|es|ely|ing)',
  _: '',
};

const RULES = byFirstLetter(SPELLING_RULES.trim().split('\n').map(parseRule));

/** English phonemes of a word of letters a-z, by the table of exceptions, then by rules. */
export function pronounce(word: string): PhonemeName[] {
  const known = EXCEPTIONS.get(word);
  if (known) return known.split('-') as PhonemeName[];
  const phonemes: PhonemeName[] = [];
  for (let at = 0; at < word.length;) {
    const rule = ruleAt(word, at);
    phonemes.push(...(rule?.phonemes ?? []));
    at += rule?.letters.length ?? 1;
  }
  return phonemes.length > 0 ? phonemes : ['AX'];
}

function ruleAt(word: string, at: number): Rule | undefined {
  const candidates = RULES.get(word.charAt(at)) ?? [];
  return candidates.find(
    (rule) =>
      word.startsWith(rule.letters, at) &&
      rule.left.test(word.slice(0, at)) &&
      rule.right.test(word.slice(at + rule.letters.length)),
  );
}

function parseRule(line: string): Rule {
  const [, left = '', letters = '', right = '', phonemes = ''] = /^(.*)\[(.+)\](.*)=(.*)$/.exec(line) ?? [];
  return {
    letters,
    left: new RegExp(`${left.startsWith('_') ? '^' : ''}${pattern(left)}$`),
    right: new RegExp(`^${pattern(right)}${right.endsWith('_') ? '$' : ''}`),
    phonemes: phonemes.split(' ').filter(Boolean) as PhonemeName[],
  };
}

function pattern(context: string): string {
  return Array.from(context)
    .map((sign) => CLASSES[sign] ?? sign)
    .join('');
}

function byFirstLetter(rules: Rule[]): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  for (const rule of rules) {
    const first = rule.letters.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), rule]);
  }
  return groups;
}

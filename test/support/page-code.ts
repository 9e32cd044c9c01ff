import { readFileSync } from 'node:fs';

/** The code blocks of a page in one language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm');
  return [...readFileSync(page, 'utf8').matchAll(pattern)].map(([, code]) => code ?? '');
}

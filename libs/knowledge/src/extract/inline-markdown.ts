/**
 * The words of a line without their marks: `**bold**`, `*it*`, `` `code` ``, links (the address is not what people ask for),
 * images (their description), tags. Each expression looks ahead over a bounded stretch without its own opening mark, so a
 * line of 5 MB of brackets takes linear time. A star between digits or words stays: `2*3*4`, `snake_case_name`.
 */
export function plainWords(line: string): string {
  if (!/[[*_~`<\\&]/.test(line)) return line;
  return line
    .replace(/!?\[([^[\]]{0,500})\](?:\([^()]{0,2000}\)|\[[^[\]]{0,200}\])/g, '$1')
    .replace(/<(https?:\/\/[^\s<>]{1,2000})>/g, '$1')
    .replace(/<!--[^<]{0,5000}-->|<\/?[a-z][^<>]{0,1000}>/gi, '')
    .replace(/(\*\*|__|~~|(?<!`)`(?!`))(?=\S)([^*_~`]{1,1000}?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_]{1,1000})(?<=\S)\1(?![\p{L}\p{N}*_])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

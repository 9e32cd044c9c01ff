/** The row of dashes that makes the line above it a table's header. A look at the characters, then one short match per cell. */
export function isDelimiterRow(line: string): boolean {
  if (line.length > 10_000 || !line.includes('|') || !line.includes('-')) return false;
  return tableCells(line).every((cell) => /^:?-+:?$/.test(cell));
}

/** Between pipes that are not escaped, without those at both ends. */
export function tableCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

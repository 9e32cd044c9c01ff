/** Prints rows in columns, the first left-aligned, the others right-aligned. */
export function table(head: string[], body: string[][]): void {
  const rows = [head, ...body];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(`  ${cells.join('  ')}`.trimEnd());
  }
}

/** Rows as Markdown. */
export function markdown(head: string[], body: string[][]): string {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

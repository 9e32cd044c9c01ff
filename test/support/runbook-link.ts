const LINK = /^\{\{ or \$externalLabels\.trunkline_runbooks "(https:\/\/[^"]+)" \}\}\/([\w-]+\.md)$/;

/** The file of an alert's `runbook_url`, and the base of the link without a Prometheus label. */
export function runbookOf(url: string): { file: string; base: string } {
  const [, base, name] = LINK.exec(url) ?? [];
  if (base === undefined || name === undefined) throw new Error(`No link to a runbook: ${url}`);
  return { file: `docs/operate/runbooks/${name}`, base };
}

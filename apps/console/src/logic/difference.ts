/** A setting that differs between two versions. */
interface Difference {
  /** Path of the setting: `call_transfer.phone_number`. */
  field: string;
  lines: DifferenceLine[];
}

interface DifferenceLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines around a change that are shown. */
const CONTEXT = 2;
/** A comparison of more lines than this would block the page; then the whole block counts as changed. */
const MAX_CELLS = 4_000_000;

/** The settings that differ, by path, with the lines of texts that differ. */
export function differencesOf(before: object, after: object): Difference[] {
  const [old, fresh] = [flat(before), flat(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return fields
    .filter((field) => old[field] !== fresh[field])
    .map((field) => ({ field, lines: lineDifference(old[field], fresh[field]) }));
}

/** Every leaf as text, by path; lists and empty objects are leaves. */
function flat(value: object, path = ''): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    const field = path === '' ? name : `${path}.${name}`;
    if (typeof one === 'object' && one !== null && !Array.isArray(one) && Object.keys(one).length > 0)
      Object.assign(all, flat(one, field));
    else if (one !== null && one !== undefined && one !== '')
      all[field] = typeof one === 'string' ? one : JSON.stringify(one, null, 2);
  }
  return all;
}

function lineDifference(before: string | undefined, after: string | undefined): DifferenceLine[] {
  const [old, fresh] = [before?.split('\n') ?? [], after?.split('\n') ?? []];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]): DifferenceLine[] => lines.map((text) => ({ kind: 'same', text }));
  const middle = changedLines(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  return shortened([...same(old.slice(0, start)), ...middle, ...same(end === 0 ? [] : old.slice(-end))]);
}

/** The shortest script of removed and added lines (longest common subsequence). */
function changedLines(old: readonly string[], fresh: readonly string[]): DifferenceLine[] {
  const lines = (kind: DifferenceLine['kind'], texts: readonly string[]): DifferenceLine[] =>
    texts.map((text) => ({ kind, text }));
  if (old.length * fresh.length > MAX_CELLS) return [...lines('removed', old), ...lines('added', fresh)];
  const width = fresh.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const all: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      all.push({ kind: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) all.push({ kind: 'removed', text: old[i++] ?? '' });
    else all.push({ kind: 'added', text: fresh[j++] ?? '' });
  }
  return [...all, ...lines('removed', old.slice(i)), ...lines('added', fresh.slice(j))];
}

/** Unchanged lines far from a change become one line with an ellipsis. */
function shortened(all: readonly DifferenceLine[]): DifferenceLine[] {
  const isNear = (index: number): boolean =>
    all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  return all.flatMap((line, index) => {
    if (isNear(index)) return [line];
    return index > 0 && !isNear(index - 1) ? [] : [{ kind: 'same' as const, text: '…' }];
  });
}

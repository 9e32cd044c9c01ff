import type { ByteRange } from '@app/storage';

/**
 * The part of a file of `size` bytes that a Range header asks for (RFC 9110 §14.1.2). Undefined: the whole file, also for
 * what we do not serve in parts (several ranges, other units). A range that begins after the end is `outside`.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'outside' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  if (start >= size) return 'outside';
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

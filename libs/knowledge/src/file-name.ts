import { FILE_NAME_LENGTH } from './limits.js';

/** What may be uploaded, by extension. */
export const FILE_TYPES = ['pdf', 'txt', 'doc', 'docx', 'md', 'csv'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** Line ends, controls and what turns the direction of writing (with it `fdp.exe` is shown as `exe.pdf`); joiners may stay. */
const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** The last part of a path, as it may be shown: one line of at most FILE_NAME_LENGTH characters that ends with the extension. */
export function shownFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = last.normalize('NFC').replace(UNSHOWABLE, '').trim();
  const characters = Array.from(name);
  if (characters.length <= FILE_NAME_LENGTH) return name;
  const ending = Array.from(/\.[^.]{1,10}$/.exec(name)?.[0] ?? '');
  return [...characters.slice(0, FILE_NAME_LENGTH - ending.length), ...ending].join('');
}

/** The type that the extension claims; undefined when it is none of FILE_TYPES. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return FILE_TYPES.find((type) => type === extension);
}

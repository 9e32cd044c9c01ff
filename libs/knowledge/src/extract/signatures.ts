/** The beginnings of files that are no text, and what a person calls them. */
const SIGNATURES: [name: string, bytes: number[] | string, at?: number][] = [
  ['an RTF document', '{\\rtf'],
  ['a PostScript file', '%!PS'],
  ['a Windows program', 'MZ'],
  ['a Linux program', [0x7f, 0x45, 0x4c, 0x46]],
  ['a macOS program', [0xcf, 0xfa, 0xed, 0xfe]],
  ['a Java class', [0xca, 0xfe, 0xba, 0xbe]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', 'GIF8'],
  ['a TIFF image', 'II*\0'],
  ['a TIFF image', 'MM\0*'],
  ['a media file', 'RIFF'],
  ['a media file', 'OggS'],
  ['a media file', 'ID3'],
  ['a media file', 'ftyp', 4],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a 7z archive', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['a RAR archive', 'Rar!\x1a'],
  ['an XZ archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['a Zstandard archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a bzip2 archive', 'BZh'],
  ['a tar archive', 'ustar', 257],
  ['an SQLite database', 'SQLite format 3\0'],
  ['a WordPerfect document', [0xff, 0x57, 0x50, 0x43]],
  ['an old Word document', [0xdb, 0xa5, 0x2d, 0x00]],
  ['an old Word document', [0x9b, 0xa5, 0x21, 0x00]],
  ['an old Word document', [0x31, 0xbe, 0x00, 0x00]],
];
/** So short that a text may begin with it; a binary file has a NUL soon after. */
const SHORT = 4;

/** What the file is by its first bytes, if it is none of the formats that are read. */
export function signatureOf(bytes: Buffer): string | undefined {
  return SIGNATURES.find(([, magic, at = 0]) => {
    const wanted = typeof magic === 'string' ? Buffer.from(magic, 'latin1') : Buffer.from(magic);
    if (!bytes.subarray(at, at + wanted.length).equals(wanted)) return false;
    return wanted.length >= SHORT || bytes.subarray(0, 512).some((byte) => byte === 0 || byte > 0x7f);
  })?.[0];
}

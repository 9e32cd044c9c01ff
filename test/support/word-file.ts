import { zipFile, type ZipPart } from './zip-file.js';

const CONTENT_TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/></Types>`;
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

export interface WordFile {
  /** Content of `w:body`. */
  body: string;
  /** Content of `w:footnotes`. */
  footnotes?: string;
  /** Before the root element of the document. */
  doctype?: string;
  more?: ZipPart[];
}

/** A minimal DOCX. */
export function wordFile({ body, footnotes, doctype = '', more = [] }: WordFile): Buffer {
  return zipFile([
    { name: '[Content_Types].xml', content: CONTENT_TYPES },
    { name: '_rels/.rels', content: relationships('officeDocument', 'word/document.xml') },
    { name: 'word/document.xml', content: `${doctype}<w:document ${W}><w:body>${body}</w:body></w:document>` },
    ...(footnotes === undefined ? [] : notes(footnotes)),
    ...more,
  ]);
}

export const wordParagraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

function notes(footnotes: string): ZipPart[] {
  return [
    { name: 'word/_rels/document.xml.rels', content: relationships('footnotes', 'footnotes.xml') },
    { name: 'word/footnotes.xml', content: `<w:footnotes ${W}>${footnotes}</w:footnotes>` },
  ];
}

function relationships(type: string, target: string): string {
  const xmlns = 'http://schemas.openxmlformats.org/package/2006/relationships';
  return `<Relationships xmlns="${xmlns}"><Relationship Id="r1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`;
}

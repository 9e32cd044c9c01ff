import { fileTypesWith } from './document-formats.js';

/** What a person reads when a document failed: the sentence says what is wrong, the remedy what to do about it. */
interface Explanation {
  sentence: string;
  remedy: string;
  /** Trying the same document again may help. */
  retryable?: true;
}

const SPLIT = 'Split it into several knowledge bases.';

/** Every way in which a document can fail; `HTTP_nnn` is the only family beside these. */
const EXPLANATIONS = {
  FILE_ENCRYPTED: {
    sentence: 'The file is protected by a password.',
    remedy: 'Save a copy without the password and upload it again.',
  },
  FILE_CORRUPT: {
    sentence: 'The file is damaged or incomplete.',
    remedy: 'Open it in the program it was made with, save it anew and upload it again.',
  },
  TYPE_MISMATCH: {
    sentence: 'The content of the file is not what its name says.',
    remedy: `Upload it with the extension of its real type, or convert it: ${fileTypesWith('and')} are read.`,
  },
  UNSUPPORTED_FORMAT: {
    sentence: 'The format of the file is not supported.',
    remedy: 'Save it as PDF, DOCX or TXT and upload it again.',
  },
  NO_TEXT_SCANNED: {
    sentence: 'The pages are images without text.',
    remedy: 'Run the document through text recognition (OCR) and upload the result.',
  },
  EMPTY: { sentence: 'The document contains no text.', remedy: 'Upload a document that has text in it.' },
  TOO_LARGE_EXPANDED: {
    sentence: 'The file unpacks to more than is allowed.',
    remedy: 'Save it anew, without large embedded objects, or split it into several files.',
  },
  TOO_MUCH_TEXT: { sentence: 'The document has more than 10,000,000 characters of text.', remedy: SPLIT },
  TOO_MANY_CHUNKS: { sentence: 'The document has more than 10,000 passages.', remedy: SPLIT },
  TOO_MANY_ROWS: { sentence: 'The table has too many rows.', remedy: SPLIT },
  TOO_MANY_COLUMNS: {
    sentence: 'The table has too many columns.',
    remedy: 'Leave out the columns that no question needs, and check the delimiter.',
  },
  RECORD_TOO_LARGE: {
    sentence: 'A record of the table is too large.',
    remedy: 'Check the quotes and line ends around it, and upload the file again.',
  },
  PARSE_TIMEOUT: {
    sentence: 'Reading the document took too long.',
    remedy: 'Save it in a simpler form (PDF or TXT), or split it into several files.',
  },
  PARSE_MEMORY: {
    sentence: 'Reading the document took too much memory.',
    remedy: 'Save it in a simpler form (PDF or TXT), or split it into several files.',
  },
  PARSE_FAILED: {
    sentence: 'Reading the document ended unexpectedly.',
    remedy: 'Reprocess it; if it fails again, save it in another format and upload that.',
    retryable: true,
  },
  URL_BLOCKED: {
    sentence: 'The address may not be fetched.',
    remedy: 'Use a public http or https address.',
  },
  URL_UNREACHABLE: {
    sentence: 'The address could not be reached.',
    remedy: 'Check that the page opens in a browser, and reprocess it later.',
    retryable: true,
  },
  TOO_MANY_REDIRECTS: {
    sentence: 'The address leads from one redirect to the next.',
    remedy: 'Use the address that the browser shows when the page is open.',
  },
  URL_TOO_LARGE: {
    sentence: 'The page is larger than is allowed.',
    remedy: 'Use the address of a smaller page or document.',
  },
  ROBOTS_DISALLOWED: {
    sentence: "The site's robots.txt does not allow this address to be fetched.",
    remedy: 'Ask the owner of the site to allow it, or upload the text as a file.',
  },
  PAGE_NEEDS_JAVASCRIPT: {
    sentence: 'The page shows its text only when its scripts run.',
    remedy: 'Use a page that contains its text, or copy the text into a knowledge base of type text.',
  },
  FILE_MISSING: {
    sentence: 'The uploaded file is not in the storage any more.',
    remedy: 'Delete the knowledge base and upload the file again.',
  },
  AGENT_FULL: {
    sentence: 'The knowledge bases of the agent have too many passages together.',
    remedy: 'Delete those that the agent no longer needs, and reprocess this one.',
  },
  PROCESSING_TIMEOUT: {
    sentence: 'Processing the document took longer than five minutes.',
    remedy: 'Reprocess it later; if it fails again, split it into several knowledge bases.',
    retryable: true,
  },
  ATTEMPTS_EXHAUSTED: {
    sentence: 'Processing failed several times.',
    remedy: 'Reprocess it later; if it fails again, tell the operator of this service.',
  },
  INTERNAL: {
    sentence: 'The service failed while processing the document.',
    remedy: 'Reprocess it later; if it fails again, tell the operator of this service.',
    retryable: true,
  },
} satisfies Record<string, Explanation>;

type NamedCode = keyof typeof EXPLANATIONS;

/** `HTTP_404`: what the server of a URL source answered. */
export type ProcessingErrorCode = NamedCode | `HTTP_${number}`;

export const PROCESSING_ERROR_CODES = Object.keys(EXPLANATIONS) as NamedCode[];

/**
 * A document that cannot become searchable. `sentence` replaces the code's general sentence with a more exact one ("The
 * file is named .docx but is a PDF."); the remedy is the code's own. `code` and `sentence` are all there is to carry over
 * to another process: `new DocumentProblem(code, sentence)` is the same problem there.
 */
export class DocumentProblem extends Error {
  /** Trying again may help. */
  readonly retryable: boolean;
  readonly sentence: string;

  constructor(
    readonly code: ProcessingErrorCode,
    sentence?: string,
    options?: ErrorOptions,
  ) {
    const general = explanationOf(code);
    super(`${sentence ?? general.sentence} ${general.remedy}`, options);
    this.sentence = sentence ?? general.sentence;
    this.retryable = general.retryable ?? false;
  }

  /** As stored in `processing_error`. */
  get processingError(): string {
    return `${this.code}: ${this.message}`;
  }
}

export function isProcessingErrorCode(code: string): code is ProcessingErrorCode {
  return Object.hasOwn(EXPLANATIONS, code) || /^HTTP_[1-5]\d\d$/.test(code);
}

function explanationOf(code: ProcessingErrorCode): Explanation {
  return isNamed(code) ? EXPLANATIONS[code] : httpExplanation(Number(code.slice('HTTP_'.length)));
}

const isNamed = (code: ProcessingErrorCode): code is NamedCode => Object.hasOwn(EXPLANATIONS, code);

/** 408, 425, 429 and 5xx pass; another 4xx stays what it is. */
function httpExplanation(status: number): Explanation {
  const sentence = `The server of the address answered with HTTP status ${status}.`;
  if (status >= 500 || [408, 425, 429].includes(status)) {
    return { sentence, remedy: 'Reprocess it later.', retryable: true };
  }
  return { sentence, remedy: 'Check that the page opens in a browser without signing in, and correct the address.' };
}

import { fileTypesWith } from './document-formats.js';

/** The explanation of a failed document for users: the sentence states the problem, the remedy how to solve it. */
interface Explanation {
  sentence: string;
  remedy: string;
  /** A later attempt with the same document may succeed. */
  retryable?: true;
}

const SPLIT = 'Split it into several knowledge bases.';

/** Every error code of a document; the only other ones are the family `HTTP_nnn`. */
const EXPLANATIONS = {
  FILE_ENCRYPTED: {
    sentence: 'The file is protected by a password.',
    remedy: 'Save a copy without the password and upload it again.',
  },
  FILE_CORRUPT: {
    sentence: 'The file is damaged or incomplete.',
    remedy: 'Open it in the program that created it, save it again and upload the new file.',
  },
  TYPE_MISMATCH: {
    sentence: 'The content of the file does not match its extension.',
    remedy: `Upload it with the correct extension, or convert it to ${fileTypesWith('or')}.`,
  },
  UNSUPPORTED_FORMAT: {
    sentence: 'The format of the file is not supported.',
    remedy: 'Open it in Word or another office program, save it as DOCX or PDF, and upload the new file.',
  },
  NO_TEXT_SCANNED: {
    sentence: 'The pages are images without text.',
    remedy: 'Run the document through text recognition (OCR) and upload the result.',
  },
  EMPTY: { sentence: 'The document contains no text.', remedy: 'Upload a document that contains text.' },
  TOO_LARGE_EXPANDED: {
    sentence: 'The file exceeds the size limit after unpacking.',
    remedy: 'Save it without large embedded objects, or split it into several files.',
  },
  TOO_MUCH_TEXT: { sentence: 'The document has more than 11,000,000 characters of text.', remedy: SPLIT },
  TOO_MANY_CHUNKS: { sentence: 'The document has more than 250,000 passages.', remedy: SPLIT },
  TOO_MANY_ROWS: { sentence: 'The table has too many rows.', remedy: SPLIT },
  TOO_MANY_COLUMNS: {
    sentence: 'The table has too many columns.',
    remedy: 'Remove columns that are not needed, and check the delimiter.',
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
  // Not retried: a server that sends a byte every few seconds would keep the document pending for minutes.
  URL_TIMEOUT: {
    sentence: 'The server did not send the page within 15 seconds.',
    remedy: 'Check that the page opens quickly in a browser, and reprocess it later.',
  },
  TOO_MANY_REDIRECTS: {
    sentence: 'The address redirects too many times.',
    remedy: 'Use the address that the browser shows when the page is open.',
  },
  URL_TOO_LARGE: {
    sentence: 'The page exceeds the size limit.',
    remedy: 'Use the address of a smaller page or document.',
  },
  ROBOTS_DISALLOWED: {
    sentence: "The site's robots.txt does not allow this address to be fetched.",
    remedy: 'Ask the owner of the site to allow it, or upload the text as a file.',
  },
  PAGE_NEEDS_JAVASCRIPT: {
    sentence: 'The page shows its text only after running JavaScript.',
    remedy: 'Use a page that contains its text, or copy the text into a knowledge base of type text.',
  },
  PAGE_NOT_FOUND: {
    sentence: 'The site answered with an error page ("not found"), although without an error status.',
    remedy: 'Check that the page opens in a browser, and correct the address.',
  },
  PAGE_NEEDS_LOGIN: {
    sentence: 'The site shows a login form instead of the page.',
    remedy: 'Use a page that opens without signing in, or upload its text as a file.',
  },
  PAGE_BLOCKS_ROBOTS: {
    sentence: 'The site shows a check for robots or denies access instead of showing the page.',
    remedy: 'Ask the owner of the site to allow the access, or upload the text as a file.',
  },
  NO_READABLE_PAGES: {
    sentence: 'The crawl found no readable page.',
    remedy: 'Check the state of its pages, and the patterns of crawl.include and crawl.exclude.',
  },
  REFRESH_SHRANK: {
    sentence: 'The refreshed content is much smaller than before.',
    remedy:
      'The previous content is still used. Check the site, and reprocess the knowledge base to use the new content.',
  },
  FILE_MISSING: {
    sentence: 'The uploaded file is no longer in the storage.',
    remedy: 'Delete the knowledge base and upload the file again.',
  },
  AGENT_FULL: {
    sentence: 'The knowledge bases of the agent have too many passages in total.',
    remedy: 'Delete those that the agent no longer needs, and reprocess this one.',
  },
  PROCESSING_TIMEOUT: {
    sentence: 'Processing the document took longer than five minutes.',
    remedy: 'Reprocess it later; if it fails again, split it into several knowledge bases.',
    retryable: true,
  },
  ATTEMPTS_EXHAUSTED: {
    sentence: 'Processing failed several times.',
    remedy: 'Reprocess it later; if it fails again, contact the operator of this service.',
  },
  INTERNAL: {
    sentence: 'The service failed while processing the document.',
    remedy: 'Reprocess it later; if it fails again, contact the operator of this service.',
    retryable: true,
  },
} satisfies Record<string, Explanation>;

type NamedCode = keyof typeof EXPLANATIONS;

/** `HTTP_404`: the status from the server of a URL source. */
export type ProcessingErrorCode = NamedCode | `HTTP_${number}`;

export const PROCESSING_ERROR_CODES = Object.keys(EXPLANATIONS) as NamedCode[];

/**
 * A document that cannot be processed. `sentence` replaces the code's general sentence with a more specific one ("The file is
 * named .docx but is a PDF."); the remedy depends on the code only. To transfer the problem to another process, send `code` and
 * `sentence` and call `new DocumentProblem(code, sentence)` there.
 */
export class DocumentProblem extends Error {
  /** A later attempt may succeed. */
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

  /** The value of `processing_error`. */
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

/** 408, 425, 429 and 5xx are temporary; other 4xx are permanent. */
function httpExplanation(status: number): Explanation {
  const sentence = `The server of the address answered with HTTP status ${status}.`;
  if (status >= 500 || [408, 425, 429].includes(status)) {
    return { sentence, remedy: 'Reprocess it later.', retryable: true };
  }
  return { sentence, remedy: 'Check that the page opens in a browser without signing in, and correct the address.' };
}

/**
 * Whether the error means damaged tables in a binary file: reading past a buffer throws a RangeError. Compared by name, which is the
 * same in every realm.
 */
export const isDamage = (error: unknown): boolean =>
  error instanceof DocumentProblem || (error as Partial<Error> | undefined)?.name === 'RangeError';

/** A part of the script of its own, which the page loads when a file is exported or imported. */
export { parseDocument, stringify } from 'yaml';

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACES = [process.env.TRUNKLINE_TEST_DATA, '../shared/data', '../../shared/data'];

/** Folder of the large collection of documents and questions, which is not part of the project; undefined if it is missing. */
export const testData = PLACES.filter((folder) => folder !== undefined)
  .map((folder) => resolve(folder))
  .find((folder) => existsSync(folder));

/** A path in the large collection. */
export function dataPath(...parts: string[]): string {
  if (testData === undefined) throw new Error('There is no test data here: set TRUNKLINE_TEST_DATA.');
  return join(testData, ...parts);
}

/** A path in test/data, the small collection of the project itself. */
export const ownDataPath = (...parts: string[]): string =>
  join(fileURLToPath(new URL('../data', import.meta.url)), ...parts);

/** Test cases for the large collection; none if it is missing, because the cases of test/data always run. */
export const largeOnly = <T>(...rows: T[]): T[] => (testData === undefined ? [] : rows);

/**
 * Folders of office documents, each in `en`, `de`, `ru` and `zh` with one and two columns, and with a truth.json:
 * `handbook` of test/data and `made` of the large collection.
 */
export const OFFICE_FOLDERS = ['handbook', ...largeOnly('made')];

/** `en_one` and the other names of the documents in each of OFFICE_FOLDERS. */
export const OFFICE_NAMES = ['en', 'de', 'ru', 'zh'].flatMap((language) => [`${language}_one`, `${language}_two`]);

/** Of `folder/name`: `handbook` and `odd` are folders of test/data, `made` and `real` of the large collection. */
export function documentPath(name: string): string {
  const isOwn = /^(?:handbook|odd)\//.test(name);
  return isOwn ? ownDataPath('documents', name) : dataPath('documents', name);
}

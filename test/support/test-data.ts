import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PLACES = [process.env.TRUNKLINE_TEST_DATA, '../shared/data', '../../shared/data'];

/** The folder of documents and questions that are not part of the project, where this machine has it. */
export const testData = PLACES.filter((folder) => folder !== undefined)
  .map((folder) => resolve(folder))
  .find((folder) => existsSync(folder));

/** A path in it. */
export function dataPath(...parts: string[]): string {
  if (testData === undefined) throw new Error('There is no test data here: set TRUNKLINE_TEST_DATA.');
  return join(testData, ...parts);
}

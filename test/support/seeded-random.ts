/** The generator of tester callers: tests that draw with it can be reproduced in the same way. */
export { SeededRandom } from '@app/simulation/tester';

export { bounded, spend, STEPS_OF_ERROR } from './bounded-work.js';
export { PatternBudget, PatternsTooLarge } from './pattern-budget.js';
export { Pattern, UnusablePattern } from './pattern.js';

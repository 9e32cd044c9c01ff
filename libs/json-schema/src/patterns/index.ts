export { bounded, Pattern, PatternBudget, PatternsTooLarge, UnusablePattern } from './pattern.js';

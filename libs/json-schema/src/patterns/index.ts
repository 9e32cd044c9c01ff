export { bound, Pattern, PatternBudget, PatternsTooLarge, UnusablePattern } from './pattern.js';

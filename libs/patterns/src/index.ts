export {
  bounded,
  Pattern,
  PatternBudget,
  PatternsTooLarge,
  spend,
  STEPS_OF_ERROR,
  UnusablePattern,
} from './pattern.js';

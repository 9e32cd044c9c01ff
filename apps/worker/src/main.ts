// The flags first: they apply to code that is loaded afterwards.
import './v8-flags.js';
import './bootstrap.js';

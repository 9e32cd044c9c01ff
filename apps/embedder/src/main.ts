// The priority first: threads that are started afterwards inherit it.
import './low-priority.js';
import './bootstrap.js';

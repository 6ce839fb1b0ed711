export { LockExceptionFilter, type LockExceptionFilterOptions } from './lock-exception.filter.js';

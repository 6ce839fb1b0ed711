// Prints which exports differ between `import` and `require`, for each entry of the package.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const report = {};
for (const entry of [
  'nestjs-distributed-lock',
  'nestjs-distributed-lock/testing',
  'nestjs-distributed-lock/schedule',
]) {
  const imported = await import(entry);
  const required = require(entry);
  report[entry] = {
    names: Object.keys(imported),
    different: Object.keys(imported).filter((name) => imported[name] !== required[name]),
  };
}
console.log(JSON.stringify(report));

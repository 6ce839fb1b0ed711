import { examine } from './examine.js';

void examine().then((report) => console.log(JSON.stringify(report)));

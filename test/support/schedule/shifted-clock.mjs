// Preloaded by a process whose clock is to be wrong: moves `Date` by CLOCK_SHIFT milliseconds, and no timer.
const RealDate = Date;
const shift = Number(process.env.CLOCK_SHIFT ?? 0);

class ShiftedDate extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + shift] : args));
  }

  static now() {
    return RealDate.now() + shift;
  }
}

Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });
globalThis.Date = ShiftedDate;

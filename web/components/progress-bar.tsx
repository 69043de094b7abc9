/** How far something is: what it says, and a bar. */
interface ProgressBarProps {
  label: string;
  done: number;
  total: number;
  /** The same in words. */
  text: string;
}

export function ProgressBar({ label, done, total, text }: ProgressBarProps) {
  const share = total === 0 ? 1 : done / total;
  return (
    <>
      <p className="tabular-nums">{text}</p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={text}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-track"
      >
        <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
    </>
  );
}

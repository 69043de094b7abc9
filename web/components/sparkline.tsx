const WIDTH = 120;
const HEIGHT = 24;

/** How a figure went, step by step; its numbers stand beside it. */
export function Sparkline({ points }: { points: readonly number[] }) {
  const most = Math.max(...points, 1);
  const at = (value: number, n: number) =>
    `${((n / Math.max(points.length - 1, 1)) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="mt-1.5 block h-6 w-full text-accent"
    >
      <title> </title>
      <polyline
        points={points.map(at).join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

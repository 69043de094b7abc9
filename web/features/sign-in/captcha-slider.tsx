/** The picture with its piece and, below it, the handle that moves it: by mouse, finger, a tap on the track, or keys. */
import { ChevronsRight } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Captcha, movedBy, PICTURE, placeOf } from './captcha.ts';

interface CaptchaSliderProps {
  /** Null while one is on its way. */
  captcha: Captcha | null;
  x: number;
  onMove: (x: number) => void;
  /** The piece was let go, or Enter pressed: this is meant to be its place. */
  onDone: (x: number) => void;
}

const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;

/** Fewer pixels are a tap and no drag. */
const DRAG_LEAST = 3;

export function CaptchaSlider({ captcha, x, onMove, onDone }: CaptchaSliderProps) {
  const { t } = useTranslation();
  const helpId = useId();
  const picture = useRef<HTMLDivElement>(null);
  const drag = useDrag({ picture, captcha, x, onMove, onDone });
  const most = PICTURE.width - (captcha?.tile_width ?? 0);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!captcha) return;
    const to = movedBy(event.key, event.shiftKey, x, captcha);
    if (to === null && event.key !== 'Enter') return;
    event.preventDefault();
    if (to === null) onDone(x);
    else onMove(to);
  };
  /** A tap on the track is the way for who cannot drag; the button below then says that it is meant. */
  const onTap = (event: PointerEvent<HTMLDivElement>) => {
    if (!captcha || event.target !== event.currentTarget) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onMove(placeOf(((event.clientX - left) / width) * PICTURE.width - captcha.tile_width / 2, captcha));
  };

  return (
    <div className="grid w-full max-w-[300px] gap-2.5 select-none">
      <div
        ref={picture}
        aria-busy={captcha === null}
        className="relative overflow-hidden rounded-sm bg-sunken"
        style={{ aspectRatio: `${PICTURE.width} / ${PICTURE.height}` }}
      >
        {captcha && (
          <>
            <img
              src={captcha.image_base64}
              alt={t('captcha.picture')}
              draggable={false}
              className="size-full"
            />
            <img
              src={captcha.tile_base64}
              alt=""
              draggable={false}
              className="absolute cursor-grab touch-none active:cursor-grabbing"
              style={{
                left: percent(x, PICTURE.width),
                top: percent(captcha.tile_y, PICTURE.height),
                width: percent(captcha.tile_width, PICTURE.width),
              }}
              {...drag}
            />
          </>
        )}
      </div>
      <p id={helpId} className="text-xs text-muted">
        {t('captcha.help')}
      </p>
      <div
        className="relative h-11 rounded-sm border border-line-strong bg-sunken"
        onPointerDown={onTap}
        data-captcha-track=""
      >
        <div
          className="pointer-events-none absolute inset-y-0 left-0 rounded-l-sm bg-accent-soft"
          style={{ width: percent(x + (captcha?.tile_width ?? 0) / 2, PICTURE.width) }}
        />
        <div
          role="slider"
          tabIndex={0}
          aria-label={t('captcha.slider')}
          aria-describedby={helpId}
          aria-valuemin={0}
          aria-valuemax={most}
          aria-valuenow={x}
          aria-valuetext={t('captcha.position', { x })}
          aria-disabled={captcha === null || undefined}
          className={cn(
            'absolute inset-y-0 flex w-1/5 cursor-grab touch-none items-center justify-center rounded-sm border border-accent bg-accent text-on-accent active:cursor-grabbing',
            captcha === null && 'cursor-wait',
          )}
          style={{ left: percent(x, PICTURE.width) }}
          onKeyDown={onKeyDown}
          {...drag}
        >
          <ChevronsRight aria-hidden="true" />
        </div>
      </div>
    </div>
  );
}

interface Dragging {
  picture: { current: HTMLDivElement | null };
}

/** Piece and handle are dragged alike. */
function useDrag({ picture, captcha, x, onMove, onDone }: CaptchaSliderProps & Dragging) {
  const from = useRef<{ pointer: number; clientX: number; x: number } | null>(null);
  const placeAt = (clientX: number): number | null => {
    const width = picture.current?.clientWidth;
    if (!from.current || !captcha || !width) return null;
    return placeOf(from.current.x + ((clientX - from.current.clientX) * PICTURE.width) / width, captcha);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (!captcha || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      from.current = { pointer: event.pointerId, clientX: event.clientX, x };
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.pointerId !== from.current?.pointer) return;
      const to = placeAt(event.clientX);
      if (to !== null) onMove(to);
    },
    onPointerUp: (event: PointerEvent) => {
      if (event.pointerId !== from.current?.pointer) return;
      const to = placeAt(event.clientX);
      const isDrag = Math.abs(event.clientX - from.current.clientX) >= DRAG_LEAST;
      from.current = null;
      if (to !== null && isDrag) onDone(to);
    },
    onPointerCancel: () => {
      from.current = null;
    },
  };
}

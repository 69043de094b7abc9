/** The six digits that were sent to a mailbox or a phone, and the button that sends them. */
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function CodeInput({ form }: { form: Pick<Form<{ code: string }>, 'text'> }) {
  return (
    <Input
      {...form.text('code')}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      className="font-mono"
    />
  );
}

interface SendCodeButtonProps {
  /** Seconds until another one can be sent. */
  left: number;
  /** It waits for something else. */
  disabled: boolean;
  reasonId?: string;
  busy: boolean;
  onSend: () => void;
}

export function SendCodeButton({ left, disabled, reasonId, busy, onSend }: SendCodeButtonProps) {
  const { t } = useTranslation();
  return (
    <Button
      size="lg"
      className="tabular-nums"
      disabled={disabled || left > 0}
      aria-describedby={reasonId}
      busy={busy}
      onClick={onSend}
    >
      {left > 0 ? t('register.again', { seconds: left }) : t('register.sendCode')}
    </Button>
  );
}

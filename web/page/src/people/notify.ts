/** Whether the browser can notify, and the user has not refused. */
export const canNotify = (): boolean => "Notification" in globalThis && Notification.permission !== "denied";

export const hasConsent = (): boolean => canNotify() && Notification.permission === "granted";

/** Asks the user for consent; resolves to whether it is given. */
export const askConsent = async (): Promise<boolean> =>
  (await Notification.requestPermission()) === "granted";

/** Notifies about a game, if the user has consented. A newer notification about the same game replaces an older one. */
export async function notify(text: string, game: string, open: () => void): Promise<void> {
  if (!hasConsent()) return;
  const options = { tag: game, icon: "icon-192.png" };
  try {
    const shown = new Notification(text, options);
    shown.onclick = () => {
      focus();
      open();
      shown.close();
    };
  } catch {
    // Browsers of phones leave it to the service worker, which shows the page when it is clicked.
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.showNotification(text, options);
  }
}

"""Drives a headless Chromium over its debugging pipe: file descriptors 3 and 4, messages in JSON that end with a null."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    pass


def find():
    """The path of Chromium; None if there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="weir-page-")
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()

        def connect():
            # Both are moved out of the way first: either may already be 3 or 4.
            source, target = os.dup(to_child), os.dup(from_child)
            high = os.dup2(source, 63), os.dup2(target, 64)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-color-profile=srgb", "--no-first-run", "--disable-background-networking", "--disable-extensions",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"],
            preexec_fn=connect, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events = b"", 0, []

    def call(self, method, session=None, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        end = time.monotonic() + 60
        while True:
            answer = self.read(end - time.monotonic())
            if answer is None:
                raise Failure(f"{method} got no answer within a minute")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def read(self, seconds):
        """The next message; None if there is none in time."""
        while b"\0" not in self.buffer:
            if seconds <= 0 or not select.select([self.input], [], [], seconds)[0]:
                return None
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise Failure("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def processor_seconds(self):
        """The processor time that all its processes have used; 0 where the system does not tell."""
        ticks = 0
        for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """One tab, with what it logged and asked for."""

    def __init__(self, browser, width=1440, height=900, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)
        self.theme(dark)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment="", seconds=60):
        """Opens a file and waits until the page is ready; returns the seconds that took."""
        started = time.monotonic()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        while time.monotonic() - started < seconds:
            state = self.run("location.protocol === 'file:' && document.readyState === 'complete'"
                             " && (document.getElementById('app')?.dataset.ready || document.querySelector('.fatal')?.textContent || '')")
            if state:
                if state != "true" and "needs JavaScript" not in state:
                    raise Failure(f"{path}: {state}")
                self.settle()
                return time.monotonic() - started
            time.sleep(0.02)
        raise Failure(f"{path} was not ready after {seconds} s: {self.problems()}")

    def settle(self):
        """Waits for two frames: what was asked for is drawn then."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(f"{expression[:120]}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def key(self, key, code=None, text=None, modifiers=0):
        text = text if text is not None else (key if len(key) == 1 else None)
        extra = {"text": text} if text else {}
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9,
                 "Home": 36, "End": 35}
        number = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        if key == "Enter":
            extra = {"text": "\r"}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, windowsVirtualKeyCode=number,
                  modifiers=modifiers, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key, windowsVirtualKeyCode=number,
                  modifiers=modifiers)
        self.settle()

    def mouse(self, kind, x, y, button="left", count=1, buttons=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count, buttons=buttons)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, buttons=1)
        self.mouse("mouseReleased", x, y)
        self.settle()

    def drag(self, start, end, steps=8):
        self.mouse("mousePressed", *start, buttons=1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", start[0] + (end[0] - start[0]) * step / steps,
                       start[1] + (end[1] - start[1]) * step / steps, buttons=1)
        self.mouse("mouseReleased", *end)
        self.settle()

    def wheel(self, x, y, down=0, across=0, modifiers=0):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=across, deltaY=down, modifiers=modifiers)
        self.settle()

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def problems(self):
        """Errors in the console, exceptions, and requests other than for the page itself."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            parameters = event.get("params", {})
            match event["method"]:
                case "Runtime.exceptionThrown":
                    details = parameters["exceptionDetails"]
                    found.append(details.get("exception", {}).get("description", details["text"]))
                case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                    found.append("console: " + " ".join(str(part.get("value")) for part in parameters["args"]))
                case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                    found.append("log: " + parameters["entry"]["text"])
                case "Network.requestWillBeSent":
                    url = parameters["request"]["url"]
                    if not url.startswith(("file://", "about:", "blob:")) or url.split("#")[0].rsplit(".", 1)[-1] != "html" and url.startswith("file://"):
                        found.append("request: " + url)
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

// SPDX-License-Identifier: Apache-2.0
// fork and exec, since posix_spawn cannot ask for a signal at the death of the parent. Between the
// two the child calls nothing that a signal handler might not.
#include "run/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

constexpr int kNotStarted = 127;
constexpr int kPatience = 50;  // milliseconds until `stop` is looked at again
constexpr int kHurry = 2;      // while the end of a program is near: its pipes are closed

// Where SIGCHLD is ignored, as some service or shell may have left it, the system keeps no end of a
// program to ask for.
class DefaultChildSignal {
 public:
  DefaultChildSignal() {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &before_);
  }
  ~DefaultChildSignal() { sigaction(SIGCHLD, &before_, nullptr); }
  DefaultChildSignal(const DefaultChildSignal&) = delete;
  DefaultChildSignal& operator=(const DefaultChildSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void reset() {
    if (open()) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};

Pipe new_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail(ErrorCode::kInternal, "pipe", "{}", std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Bytes of a pipe as lines of bounded length.
class LineBuffer {
 public:
  template <typename Take>
  void add(std::string_view bytes, const Take& take) {
    for (const char byte : bytes) {
      if (byte == '\n') {
        end(take);
      } else if (line_.size() < kMostLine) {
        line_ += byte;
      }
    }
  }
  template <typename Take>
  void end(const Take& take) {
    if (!line_.empty()) take(std::string_view(line_));
    line_.clear();
  }

 private:
  std::string line_;
};

[[noreturn]] void become(char* const* argv, int in, int out, int err, int fault, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotStarted);  // it died before we asked
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);
  if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0) execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(fault, &error, sizeof(error));
  _exit(kNotStarted);
}

// A program that runs, or has ended and is not yet asked for.
class Process {
 public:
  Process(std::size_t index, const std::vector<std::string>& words);
  ~Process() {
    if (ended_) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::size_t index() const { return index_; }
  bool ended() const { return ended_; }
  bool silent() const { return !out_.open() && !err_.open(); }
  const ProcessEnd& end() const { return end_; }
  std::array<int, 2> streams() const { return {out_.number(), err_.number()}; }

  void terminate() const {
    if (!ended_) kill(-pid_, SIGTERM);
  }

  // Takes what the pipes hold and asks whether the program has ended. Lines go to `take`.
  template <typename Take>
  void look(const Take& take) {
    int status = 0;
    const pid_t answer = waitpid(pid_, &status, WNOHANG);
    const bool taken = answer < 0 && errno == ECHILD;  // other code has asked for its end
    const bool over = answer == pid_ || taken;
    ended_ = over;
    drain(out_, out_lines_, take, over);
    drain(
        err_, err_lines_, [this](std::string_view line) { end_.last_line = line; }, over);
    if (!over) return;
    if (taken) {
      end_.status = kUnknownStatus;
      return;
    }
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end_.status = WEXITSTATUS(status);
  }

 private:
  // With `last`, what a child of the program may still write is not waited for.
  template <typename Take>
  static void drain(Descriptor& stream, LineBuffer& lines, const Take& take, bool last) {
    while (stream.open()) {
      char buffer[4096];
      const ssize_t count = read(stream.number(), buffer, sizeof(buffer));
      if (count > 0) {
        lines.add({buffer, static_cast<std::size_t>(count)}, take);
      } else if (count == 0 || (errno != EINTR && errno != EAGAIN) || (errno == EAGAIN && last)) {
        stream.reset();
      } else if (errno == EAGAIN) {
        return;
      }
    }
    lines.end(take);
  }

  std::size_t index_;
  pid_t pid_ = -1;
  Descriptor out_, err_;
  LineBuffer out_lines_, err_lines_;
  bool ended_ = false;
  ProcessEnd end_;
};

Process::Process(std::size_t index, const std::vector<std::string>& words) : index_(index) {
  require(!words.empty(), "process", "has no program");
  Pipe out = new_pipe(), err = new_pipe(), fault = new_pipe();
  const Descriptor in(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    become(argv.data(), in.number(), out.write_end.number(), err.write_end.number(),
           fault.write_end.number(), parent);
  }
  if (pid_ < 0) {
    ended_ = true;
    fail(ErrorCode::kInternal, path_text(words.front()), "cannot be started: {}",
         std::strerror(errno));
  }
  setpgid(pid_, pid_);  // here too: a signal must not come before the child's own call
  fault.write_end.reset();
  int error = 0;
  ssize_t count = 0;
  do {
    count = read(fault.read_end.number(), &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  if (count == sizeof(error))
    end_.last_line = fmt::format("{}: {}", path_text(words.front()), std::strerror(error));
  out_ = std::move(out.read_end);
  err_ = std::move(err.read_end);
  for (const int stream : streams()) fcntl(stream, F_SETFL, O_NONBLOCK);
}

void wait_for_news(const std::list<Process>& running) {
  std::vector<pollfd> streams;
  int patience = kPatience;
  for (const Process& process : running) {
    if (process.silent()) patience = kHurry;
    for (const int number : process.streams())
      if (number >= 0) streams.push_back({number, POLLIN, 0});
  }
  poll(streams.data(), streams.size(), patience);
}

}  // namespace

std::string ProcessEnd::reason() const {
  std::string text = signal != 0
                         ? fmt::format("killed by signal {} ({})", signal, strsignal(signal))
                     : status == kUnknownStatus ? std::string("exit status unknown")
                                                : fmt::format("exit status {}", status);
  if (!last_line.empty()) text += ": " + last_line;
  return text;
}

std::vector<std::optional<ProcessEnd>> run_processes(
    std::span<const std::vector<std::string>> commands, const PoolOptions& options) {
  const DefaultChildSignal guard;
  std::vector<std::optional<ProcessEnd>> ends(commands.size());
  std::list<Process> running;
  std::size_t next = 0;
  bool stopping = false;
  while (true) {
    if (!stopping && options.stop != nullptr && *options.stop) {
      stopping = true;
      for (const Process& process : running) process.terminate();
    }
    while (!stopping && next < commands.size() &&
           static_cast<Index>(running.size()) < options.at_once) {
      running.emplace_back(next, commands[next]);
      ++next;
    }
    if (running.empty()) return ends;
    wait_for_news(running);
    for (auto each = running.begin(); each != running.end();) {
      each->look([&](std::string_view line) { options.on_line(each->index(), line); });
      if (!each->ended()) {
        ++each;
        continue;
      }
      ends[each->index()] = each->end();
      options.on_end(each->index(), each->end());
      each = running.erase(each);
    }
  }
}

}  // namespace sextant

// Number of threads that networks run on.
//
// All networks of a process share one set of threads: networks that run at the same time, in
// threads of the application, don't multiply them. Results have the same bits on any number.
#ifndef SYNAP_THREADS_HPP_
#define SYNAP_THREADS_HPP_

namespace synaptics::synap {

// Sets the number of threads for networks that are loaded from now on, with that of the caller of
// predict(): 1 to 1024, or 0 for the default. False, with an error logged, for other numbers. Any
// thread.
bool set_thread_count(int count);

// The number for a network that is loaded now: that of set_thread_count(), else that of the
// environment variable SYNAP_NUM_THREADS, else the number of processors that the process may use
// (its affinity mask, or the limit of its container if that is less). A network gets fewer, with a
// warning logged, if the system refuses to create threads. Any thread.
int thread_count();

}  // namespace synaptics::synap

#endif  // SYNAP_THREADS_HPP_

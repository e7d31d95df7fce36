// SPDX-License-Identifier: Apache-2.0
// Every rank says where it is and hands a megabyte to the next one.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static char mine[1 << 20], theirs[1 << 20];

int main(int argc, char** argv) {
  int rank, size;
  char host[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  gethostname(host, sizeof host);
  MPI_Sendrecv(mine, sizeof mine, MPI_CHAR, (rank + 1) % size, 0, theirs, sizeof theirs, MPI_CHAR,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d of %d on %s\n", rank, size, host);
  return MPI_Finalize();
}
